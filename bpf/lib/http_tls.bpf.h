/*
 * What goes through TLS libraries: in clear, where a program hands it over and where it gets it.
 *
 * At the beginning of a call of SSL_read(), SSL_write() and their like it is noted where the memory is; at its
 * end how much has moved. Calls are told apart by their stack pointer: a coroutine may wait inside one while others on
 * its thread make theirs, or go on with it on another thread; and TLS through TLS (a proxy) makes a call inside
 * a call. Which socket carries a connection is not read from the
 * library, whose structures change from version to version. It is seen:
 *
 *   - a record of TLS that a thread sends or receives while it is in such a call is of that connection;
 *   - libraries that are given memory instead of a socket (Node, asyncio): what is read was received by
 *     the thread before, and what was written is the next thing that it sends;
 *   - Go's connections, whose goroutines change threads inside a call, lead to their descriptor.
 */
#pragma once

#include <bpf/bpf_tracing.h>
#include "lib/file.bpf.h"
#include "lib/http.bpf.h"
#include "lib/site.bpf.h"

struct tls_call_key {
	__u64 stack; /* the stack pointer at the function's first instruction */
	__u32 tgid;
	__u32 pad;
};

struct tls_call {
	__u64 connection; /* in the process */
	__u64 buffer;
	__u64 length_at; /* where the library puts how much has moved; 0: it is the result */
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
	TLS_DEPTH =
		8192, /* bytes of the stack from such a call to the system call that it makes, at most */
};

struct tls_thread {
	__u64 received; /* the socket from which it has received records of TLS last */
	__u64 written;	/* the connection whose last write may be sent by its next send; 0: none */
	__u64 stacks[TLS_STACKS]; /* of its last calls, which may have ended */
	__u32 tgid;
	__u32 next;
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, struct tls_thread);
} tls_threads SEC(".maps");

/* A thread of which nothing is known: the stack has no room for one. */
const __u64 tls_no_thread[sizeof(struct tls_thread) / sizeof(__u64)] = {};

/* A number of an ended thread may have come to another process. */
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

static __always_inline void tls_bind(struct http_key *key, struct http_connection *connection,
				     struct http_key *socket, struct http_connection *carrier)
{
	if (connection->other == socket->object)
		return;
	connection->other = socket->object;
	connection->address = carrier->address;
	carrier->other = key->object;
	carrier->other_tgid = key->tgid;
}

/* Has this call of the thread, which may have ended, moved what a system call with this stack pointer moves? */
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
 * A socket has moved records of TLS in a system call that began with this stack pointer. Of calls around it the innermost
 * has the lowest one; those around that one are TLS inside its TLS, which the same socket carries. A function of its own, so
 * that its part of the stack is free again for what its caller calls else.
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

	if (!thread)
		return 0;
	if (direction == HTTP_RECEIVED)
		thread->received = socket->object;
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
	if (direction == HTTP_SENT)
		thread->written = 0;
	connection = innermost.object ? http_connection_of(&innermost) : NULL;
	if (connection)
		tls_bind(&innermost, connection, socket, carrier);
	return 0;
}

/*
 * Remembers that the thread is in a call with this stack pointer. Those a little below it have been left, by a return or
 * otherwise: their place is that of the next ones.
 */
static __always_inline void tls_enter(__u64 stack)
{
	struct tls_thread *thread = tls_thread();
	bool is_there = false;

	if (!thread)
		return;
	thread->written = 0;
	for (__u32 i = 0; i < TLS_STACKS; i++) {
		if (stack - thread->stacks[i] >= TLS_DEPTH)
			continue;
		thread->stacks[i] = is_there ? 0 : stack;
		is_there = true;
	}
	if (!is_there)
		thread->stacks[thread->next++ & (TLS_STACKS - 1)] = stack;
}

/* `outside`: of a probe at the function's entry or return; else its program has handed over the value. */
static __always_inline struct tls_call_key tls_call_key(__u64 outside, const __u64 *handed_over)
{
	struct tls_call_key key = {.tgid = bpf_get_current_pid_tgid() >> 32};

	barrier_var(
		outside); /* a choice between two addresses, one in the context, the verifier refuses */
	key.stack = handed_over ? *handed_over : outside;
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
 * `measured`: where the library puts the length, or 0. `key`: inside of functions, the stack pointer at their first instruction;
 * else NULL.
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

static __always_inline int tls_transfer(const struct http_key *key,
					struct http_connection *connection,
					const struct http_moved *moved)
{
	return http_is_skipped(connection, moved) ? 0 : http_take(key, connection, moved, false);
}

/* What is written into memory may be sent behind the call, by the thread's next send. */
static __always_inline void tls_note_written(const struct tls_call *call)
{
	struct tls_thread *thread = call->direction == HTTP_SENT ? tls_thread() : NULL;

	if (thread)
		thread->written = call->connection;
}

static __always_inline int tls_ended(const struct tls_call *call, const struct tls_call_key *key,
				     __s32 result)
{
	struct http_moved moved = {
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
	if (!connection->other && call->direction == HTTP_RECEIVED)
		tls_find_socket(&its, connection);
	return tls_transfer(&its, connection, &moved);
}

/* At the end of the call, where the result is in its register. `key`: as at its beginning. */
__hidden __noinline int tls_end(void *ctx, void *table, void *key, __u64 measured, __s64 status)
{
	__s32 result = PT_REGS_RC((struct pt_regs *)ctx);
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
	if (connection->kind == CONNECTION_HTTP1 || connection->kind == CONNECTION_HTTP2)
		emit_notice(&its, connection, HTTP_CLOSED);
	bpf_map_delete_elem(&http_connections, &its);
	return 0;
}

/* The library frees the connection: another one may come to lie at its place. */
__hidden __noinline int tls_free(void *ctx, void *table, void *key, __u64 measured, __s64 status)
{
	return forget_tls(PT_REGS_PARM1((struct pt_regs *)ctx));
}

/* Go: the values of the generated programs (common/http/tls_hooks.cpp), behind a header, or whether they could be read. */
struct tls_go_call {
	__u64 before[2];
	__u64 connection, buffer, length; /* 0: it could not be read */
};

/*
 * A crypto/tls.Conn begins with the net.Conn that it was given, which nearly always is a *net.TCPConn; that begins with its
 * *net.netFD, and this with a poll.FD, in which the descriptor is behind a lock of 16 bytes. All of this is as old as Go
 * 1.9; what is found must be a socket that has moved records of TLS. Of other connections it is the one that
 * the thread has received them from last.
 */
static __always_inline void go_find_socket(struct http_key *key, struct http_connection *connection)
{
	struct http_connection *carrier;
	struct http_key socket = {};
	__u64 place = 0;
	__u32 descriptor = 0;

	if (bpf_probe_read_user(&place, sizeof(place), (void *)(key->object + 8)) ||
	    bpf_probe_read_user(&place, sizeof(place), (void *)place) ||
	    bpf_probe_read_user(&descriptor, sizeof(descriptor), (void *)(place + 16)))
		return;
	socket.object = (__u64)file_socket(descriptor);
	carrier = bpf_map_lookup_elem(&http_connections, &socket);
	if (carrier && carrier->kind == CONNECTION_TLS)
		tls_bind(key, connection, &socket, carrier);
}

static __always_inline struct http_key go_key(const struct tls_go_call *call)
{
	struct http_key key = {.object = call->connection,
			       .tgid = bpf_get_current_pid_tgid() >> 32};

	return key;
}

/* The call's bytes from `begin` to `end`. */
static __always_inline int go_moved(const struct tls_go_call *call, __u8 direction, __u64 begin,
				    __u64 end)
{
	struct http_key its = go_key(call);
	struct http_moved moved = {.flags = HTTP_BY_TLS,
				   .buffer = call->buffer + begin,
				   .bytes = end - begin,
				   .direction = direction};
	struct http_connection *connection;

	if (!call->connection || end <= begin || end > 1 << 30)
		return 0;
	connection = http_connection_of(&its);
	if (!connection)
		return 0;
	if (!connection->other)
		go_find_socket(&its, connection);
	if (!connection->other && direction == HTTP_RECEIVED)
		tls_find_socket(&its, connection);
	return tls_transfer(&its, connection, &moved);
}

/* When (*Conn).Read returns: its call by its goroutine. `status`: it was not remembered. */
__hidden __noinline int tls_go_read(void *ctx, void *table, void *key, __u64 measured, __s64 status)
{
	if (!key) {
		http_count_lost(HTTP_CALLS_FULL);
		return 0;
	}
	return go_moved(key, HTTP_RECEIVED, 0, ((struct tls_go_call *)key)->length);
}

/* Once its socket has ended nothing is sent, though Go's HTTP/2 still hands over what it had in mind. */
static __always_inline bool go_has_ended(const struct tls_go_call *call)
{
	struct http_key its = go_key(call);
	struct http_connection *connection = bpf_map_lookup_elem(&http_connections, &its);

	return connection && connection->ended_ns;
}

/*
 * (*Conn).Write sends what it is given in records, one after the other. The first one counts when it begins: the answer
 * may be read, by another goroutine, before it returns. Others count when it has returned, as a client that goes away
 * ends it before.
 */
enum { GO_RECORD = 16384 };

__hidden __noinline int tls_go_write(void *ctx, void *table, void *key, __u64 measured,
				     __s64 status)
{
	struct tls_go_call *call = key;

	if (!call || go_has_ended(call))
		return 0;
	return go_moved(call, HTTP_SENT, 0, call->length < GO_RECORD ? call->length : GO_RECORD);
}

__hidden __noinline int tls_go_written(void *ctx, void *table, void *key, __u64 measured,
				       __s64 status)
{
	if (!key) {
		http_count_lost(HTTP_CALLS_FULL);
		return 0;
	}
	return go_moved(key, HTTP_SENT, GO_RECORD, ((struct tls_go_call *)key)->length);
}

__hidden __noinline int tls_go_close(void *ctx, void *table, void *key, __u64 measured,
				     __s64 status)
{
	return key ? forget_tls(((struct tls_go_call *)key)->connection) : 0;
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

#define GO_TEMPLATE(function)                                                                      \
	SEC("template")                                                                            \
	int function##_template(void *ctx)                                                         \
	{                                                                                          \
		struct tls_go_call call = {};                                                      \
		return function(ctx, &http_events, &call, 0, 0);                                   \
	}
GO_TEMPLATE(tls_go_read)
GO_TEMPLATE(tls_go_write)
GO_TEMPLATE(tls_go_written)
GO_TEMPLATE(tls_go_close)
