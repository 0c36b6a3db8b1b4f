/*
 * Traces the plaintext that programs pass to TLS libraries and get from them.
 *
 * At the beginning of SSL_read(), SSL_write() and similar calls we store the buffer's address; at
 * the end we know how much has moved. The stack pointer identifies a call: a coroutine may wait
 * inside a call while others on its thread make theirs, or resume it on another thread; and TLS
 * through TLS (a proxy) makes a call inside a call. We do not read from the library which socket
 * carries a connection, because its structures change from version to version. Instead:
 *
 *   - a TLS record that a thread sends or receives during such a call belongs to that connection;
 *   - some programs give the library memory instead of a socket (Node, asyncio): then the thread
 *     has received the data of a read before, and sends the data of a write next;
 *   - Go's goroutines change threads inside a call, so we follow pointers from the connection to
 *     its descriptor;
 *   - rustls moves its connections in memory, so the socket itself identifies them.
 */
#pragma once

#include <bpf/bpf_tracing.h>
#include "bpf/lib/file.bpf.h"
#include "bpf/http/http.bpf.h"
#include "bpf/lib/site.bpf.h"

struct tls_call_key {
	__u64 stack; /* the stack pointer at the function's first instruction */
	__u32 tgid;
	__u32 pad;
};

struct tls_call {
	__u64 connection; /* its address in the process */
	__u64 buffer;
	__u64 length_at; /* address to which the library writes the length; 0: it is the result */
	__u64 begin_ns;
	__u8 direction;
	__u8 pad[7];
};

/* The calls under way. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct tls_call_key);
	__type(value, struct tls_call);
} tls_calls SEC(".maps");

enum {
	TLS_STACKS = 8,
	/* Maximum bytes of stack between such a call and the system call that it makes. */
	TLS_DEPTH = 8192,
};

struct tls_thread {
	__u64 received; /* the socket from which it last received TLS records */
	__u64 moved;	/* the socket from or to which it last moved TLS records */
	__u64 written;	/* the connection whose last write its next send may send; 0: none */
	__u64 stacks[TLS_STACKS]; /* stack pointers of its last calls, which may have ended */
	__u32 tgid;
	__u32 next;
	__u32 waiting; /* writes of rustls that wait for its next send */
	__u32 pad;
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, struct tls_thread);
} tls_threads SEC(".maps");

/* The initial value of a thread, which is too large for the stack. */
const __u64 tls_no_thread[sizeof(struct tls_thread) / sizeof(__u64)] = {};

/*
 * Returns the current thread's state, or NULL if the map is full. Checks the process, because a
 * thread id may be reused.
 */
static __always_inline struct tls_thread *tls_thread(void)
{
	__u64 ids = bpf_get_current_pid_tgid();
	__u32 tid = ids, tgid = ids >> 32;
	struct tls_thread *thread = bpf_map_lookup_elem(&tls_threads, &tid);

	if (thread && thread->tgid == tgid)
		return thread;
	bpf_map_update_elem(&tls_threads, &tid, &tls_no_thread, BPF_ANY);
	thread = bpf_map_lookup_elem(&tls_threads, &tid);
	if (thread)
		thread->tgid = tgid;
	return thread;
}

/*
 * Another connection has the address of one whose socket the program has closed. Not every library
 * shows by a probe that it frees a connection. Not inlined, because it is rare.
 */
static __noinline int tls_restart(struct http_key *key, struct http_connection *connection)
{
	if (http_is_reported(connection))
		emit_notice(key, connection, HTTP_CLOSED);
	__builtin_memset(connection, 0, sizeof(*connection));
	return 0;
}

static __always_inline void tls_bind(struct http_key *key, struct http_connection *connection,
				     struct http_key *socket, struct http_connection *carrier)
{
	if (connection->other == socket->object)
		return;
	if (connection->other && connection->ended_ns)
		tls_restart(key, connection);
	connection->other = socket->object;
	connection->address = carrier->address;
	carrier->other = key->object;
	carrier->other_tgid = key->tgid;
}

/*
 * Returns the call of this key if it is under way and contains a system call that has this stack
 * pointer and direction, or NULL.
 */
static __always_inline struct tls_call *tls_call_around(const struct tls_call_key *key, __u64 stack,
							__u8 direction)
{
	struct tls_call *call;

	if (key->stack - stack >= TLS_DEPTH)
		return NULL;
	call = bpf_map_lookup_elem(&tls_calls, key);
	return call && call->direction == direction ? call : NULL;
}

/*
 * A socket has moved TLS records in a system call that began with this stack pointer. The innermost
 * call around it has the lowest stack pointer; the calls around that one are TLS inside its TLS,
 * which the same socket carries. Returns how many writes of rustls wait for this send. Not inlined,
 * so that the caller does not need its stack space as well.
 */
static __noinline int tls_moved(struct http_key *socket, struct http_connection *carrier,
				__u8 direction, __u64 stack)
{
	struct tls_thread *thread = tls_thread();
	struct tls_call_key call_key = {};
	struct http_key key = {}, innermost = {};
	struct http_connection *connection;
	struct tls_call *call;
	__u64 lowest = 0;
	__u32 waiting = 0;

	if (!thread)
		return 0;
	if (direction == HTTP_RECEIVED)
		thread->received = socket->object;
	thread->moved = socket->object;
	key.tgid = innermost.tgid = call_key.tgid = thread->tgid;
	for (__u32 i = 0; i < TLS_STACKS; i++) {
		call_key.stack = thread->stacks[i];
		call = tls_call_around(&call_key, stack, direction);
		if (!call)
			continue;
		if (!lowest || call_key.stack < lowest) {
			lowest = call_key.stack;
			innermost.object = call->connection;
		}
		key.object = call->connection;
		connection = http_connection_of(&key);
		if (connection && !connection->other)
			tls_bind(&key, connection, socket, carrier);
	}
	if (!lowest && direction == HTTP_SENT && thread->written) {
		innermost.object = thread->written;
		connection = http_connection_of(&innermost);
		if (connection && connection->other)
			innermost.object = 0;
	}
	if (direction == HTTP_SENT) {
		thread->written = 0;
		waiting = thread->waiting;
		thread->waiting = 0;
	}
	connection = innermost.object ? http_connection_of(&innermost) : NULL;
	if (connection)
		tls_bind(&innermost, connection, socket, carrier);
	return waiting;
}

/*
 * Stores that the thread is in a call with this stack pointer. Calls a little below it have ended,
 * by a return or otherwise; we reuse their slots.
 */
static __always_inline void tls_enter(__u64 stack)
{
	struct tls_thread *thread = tls_thread();
	bool is_stored = false;

	if (!thread)
		return;
	thread->written = 0;
	for (__u32 i = 0; i < TLS_STACKS; i++) {
		if (stack - thread->stacks[i] >= TLS_DEPTH)
			continue;
		thread->stacks[i] = is_stored ? 0 : stack;
		is_stored = true;
	}
	if (!is_stored)
		thread->stacks[thread->next++ & (TLS_STACKS - 1)] = stack;
}

/*
 * `outside` is the stack pointer of a probe at the function's entry or return. For a probe inside
 * the function, `passed` is not NULL and has the stack pointer at its entry.
 */
static __always_inline struct tls_call_key tls_call_key(__u64 outside, const __u64 *passed)
{
	struct tls_call_key key = {.tgid = bpf_get_current_pid_tgid() >> 32};

	/* The verifier refuses a load from either of two addresses if one is in the context. */
	barrier_var(outside);
	key.stack = passed ? *passed : outside;
	return key;
}

static __always_inline int tls_begin(struct pt_regs *ctx, const __u64 *entry_stack, __u64 length_at,
				     __u8 direction)
{
	struct tls_call_key key = tls_call_key(PT_REGS_SP(ctx), entry_stack);
	struct tls_call call = {
		.connection = PT_REGS_PARM1(ctx),
		.buffer = PT_REGS_PARM2(ctx),
		.length_at = length_at,
		.begin_ns = bpf_ktime_get_ns(),
		.direction = direction,
	};

	if (bpf_map_update_elem(&tls_calls, &key, &call, BPF_ANY))
		http_count_lost(HTTP_CALLS_FULL);
	tls_enter(key.stack);
	return 0;
}

/*
 * `measured`: the address to which the library writes the length, or 0. `key`: for probes inside a
 * function, the stack pointer at its first instruction; else NULL.
 */
__hidden __noinline int tls_read(void *ctx, void *table, void *key, __u64 measured, __s64 status)
{
	return tls_begin(ctx, key, measured, HTTP_RECEIVED);
}

__hidden __noinline int tls_write(void *ctx, void *table, void *key, __u64 measured, __s64 status)
{
	return tls_begin(ctx, key, measured, HTTP_SENT);
}

static __always_inline void tls_find_socket(struct http_key *key,
					    struct http_connection *connection)
{
	struct tls_thread *thread = tls_thread();
	struct http_connection *carrier;
	struct http_key socket = {};

	if (!thread || !thread->received)
		return;
	socket.object = thread->received;
	carrier = bpf_map_lookup_elem(&http_connections, &socket);
	if (carrier && carrier->kind == CONNECTION_TLS)
		tls_bind(key, connection, &socket, carrier);
}

/* `may_be_vector`: as for http_take(). */
static __always_inline int tls_transfer(const struct http_key *key,
					struct http_connection *connection,
					const struct http_call_data *moved,
					const bool may_be_vector)
{
	if (!connection->offset[0] && !connection->offset[1])
		connection->tries = http_tries();
	if (connection->tries) {
		connection->tries--;
		emit_plaintext(key, connection, moved);
	}
	if (http_is_skipped(connection, moved))
		return 0;
	return http_take(key, connection, moved, may_be_vector, true);
}

/* If the library writes into memory, the thread's next send after the call may send it. */
static __always_inline void tls_note_written(const struct tls_call *call)
{
	struct tls_thread *thread = call->direction == HTTP_SENT ? tls_thread() : NULL;

	if (thread)
		thread->written = call->connection;
}

static __always_inline int tls_ended(const struct tls_call *call, const struct tls_call_key *key,
				     __s32 result)
{
	struct http_call_data moved = {
		.flags = HTTP_BY_TLS, .buffer = call->buffer, .direction = call->direction};
	struct http_key its = {.object = call->connection, .tgid = key->tgid};
	struct http_connection *connection;
	__u64 length = result;

	if (call->length_at &&
	    bpf_probe_read_user(&length, sizeof(length), (void *)call->length_at)) {
		http_count_lost(HTTP_UNREADABLE);
		return 0;
	}
	if (!length || length > 1 << 30)
		return 0;
	moved.bytes = length;
	moved.begin_ns = call->direction == HTTP_SENT ? call->begin_ns : 0;
	connection = http_connection_of(&its);
	if (!connection)
		return 0;
	if ((!connection->other || connection->ended_ns) && call->direction == HTTP_RECEIVED)
		tls_find_socket(&its, connection);
	return tls_transfer(&its, connection, &moved, false);
}

/* At the end of the call, when the result is in its register. `key`: as for tls_read(). */
__hidden __noinline int tls_end(void *ctx, void *table, void *key, __u64 measured, __s64 status)
{
	__s32 result = site_result(ctx);
	struct tls_call_key its = tls_call_key(site_entry_stack(ctx), key);
	struct tls_call *found = bpf_map_lookup_elem(&tls_calls, &its);
	struct tls_call call;

	if (!found) {
		if (result > 0)
			http_count_lost(HTTP_CALL_UNKNOWN);
		return 0;
	}
	call = *found;
	bpf_map_delete_elem(&tls_calls, &its);
	tls_note_written(&call);
	return call.connection && result > 0 ? tls_ended(&call, &its, result) : 0;
}

static __always_inline int forget_tls(__u64 object)
{
	struct http_key its = {.object = object, .tgid = bpf_get_current_pid_tgid() >> 32};
	struct http_connection *connection = bpf_map_lookup_elem(&http_connections, &its);

	if (!connection)
		return 0;
	if (http_is_reported(connection))
		emit_notice(&its, connection, HTTP_CLOSED);
	bpf_map_delete_elem(&http_connections, &its);
	return 0;
}

/* The library frees the connection: another one may have its address later. */
__hidden __noinline int tls_free(void *ctx, void *table, void *key, __u64 measured, __s64 status)
{
	return forget_tls(PT_REGS_PARM1((struct pt_regs *)ctx));
}

#define TLS_TEMPLATE(function)                                                                     \
	SEC("template")                                                                            \
	int function##_template(void *ctx)                                                         \
	{                                                                                          \
		return function(ctx, &http_events, NULL, 0, 0);                                    \
	}
TLS_TEMPLATE(tls_read)
TLS_TEMPLATE(tls_write)
TLS_TEMPLATE(tls_end)
TLS_TEMPLATE(tls_free)
