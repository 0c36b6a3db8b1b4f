/*
 * Traces the plaintext of TLS connections of rustls, a library without names in most programs
 * (common/tls/rustls.h says where its functions are found and what their arguments are).
 *
 * Rust moves a connection's state in memory, so its address does not identify the connection. Its
 * socket does: rustls makes no system calls, so
 *
 *   - before a read, the thread has received the data from the connection's socket;
 *   - after a write, the thread sends the data to it. For the next writes of the state at this
 *     address, we remember the socket. The first write waits until then: rustls' caller still has
 *     the bytes, which it sends in the same call;
 *   - but rustls keeps what a client writes during the handshake, and frees it before it is sent.
 *     So if a first write begins like a request, and the thread has just taken part in a client's
 *     handshake, the write begins a connection, whose socket the thread's next send shows.
 */
#pragma once

#include "bpf/http/http_rustls_chunks.bpf.h"
#include "bpf/http/http_tls.bpf.h"

enum {
	RUSTLS_WAITING = 8, /* pieces of writes of a thread that wait for its next send */
};

struct rustls_write {
	__u64 state; /* the address of the connection's CommonState */
	__u64 begin_ns;
	struct rustls_part part;
};

struct rustls_thread {
	__u32 tgid;
	__u32 count;
	struct rustls_write waiting[RUSTLS_WAITING];
	/* Variables of rustls_sent(), which has no stack space for them. */
	struct http_key its;
	struct http_call_data moved;
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, struct rustls_thread);
} rustls_threads SEC(".maps");

/* The initial value of a thread, which is too large for the stack. */
const __u64 rustls_no_thread[sizeof(struct rustls_thread) / sizeof(__u64)] = {};

/* The connections of the states that were seen to read or write. */
struct rustls_state {
	__u64 object; /* http_key.object */
	__u64 inode;  /* http_connection.inode */
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct http_key);
	__type(value, struct rustls_state);
} rustls_states SEC(".maps");

static __always_inline void rustls_remember(__u64 state, const struct http_key *its,
					    const struct http_connection *connection)
{
	struct http_key key = {.object = state, .tgid = its->tgid};
	struct rustls_state now = {.object = its->object, .inode = connection->inode};
	struct rustls_state *known = bpf_map_lookup_elem(&rustls_states, &key);

	if (!known || known->object != now.object || known->inode != now.inode)
		bpf_map_update_elem(&rustls_states, &key, &now, BPF_ANY);
}

/*
 * Returns the rustls connection of this socket, or NULL if the socket does not carry TLS. `its`
 * becomes its key: the address of the socket or, if the connection was begun before its socket was
 * known, that of its state then.
 */
static __always_inline struct http_connection *rustls_connection(struct http_key *its, __u64 object,
								 __u32 tgid)
{
	struct http_connection *carrier, *connection;
	struct http_key socket = {.object = object};

	carrier = object ? bpf_map_lookup_elem(&http_connections, &socket) : NULL;
	if (!carrier || carrier->kind != CONNECTION_TLS)
		return NULL;
	its->object = carrier->other && carrier->other_tgid == tgid ? carrier->other : object;
	its->tgid = tgid;
	connection = http_connection_of(its);
	if (!connection)
		return NULL;
	tls_bind(its, connection, &socket, carrier);
	if (!connection->inode)
		connection->inode = bpf_ktime_get_ns();
	return connection;
}

static __always_inline void rustls_fill(const struct rustls_write *write,
					struct http_call_data *moved)
{
	moved->buffer = write->part.buffer;
	moved->vector = write->part.vector;
	moved->vectors = write->part.vectors;
	moved->bytes = write->part.bytes;
	moved->begin_ns = write->begin_ns;
	moved->direction = HTTP_SENT;
	moved->flags = HTTP_BY_TLS;
}

/* Plaintext has come, one record of it. `at`: the address of the Payload. */
static __noinline int rustls_reads(__u64 state, __u64 at)
{
	__u64 payload[3] = {}; /* capacity or a mark, pointer, length */
	struct http_call_data moved = {.flags = HTTP_BY_TLS, .direction = HTTP_RECEIVED};
	struct tls_thread *thread = tls_thread();
	struct http_connection *connection;
	struct http_key its = {};

	if (!thread)
		return 0;
	if (bpf_probe_read_user(payload, sizeof(payload), (void *)at)) {
		http_count_lost(HTTP_UNREADABLE);
		return 0;
	}
	if (!payload[2] || payload[2] > 1 << 30)
		return 0;
	connection = rustls_connection(&its, thread->received, thread->tgid);
	if (!connection) {
		http_count_lost(HTTP_SOCKET_UNKNOWN);
		return 0;
	}
	rustls_remember(state, &its, connection);
	moved.buffer = payload[1];
	moved.bytes = payload[2];
	return tls_transfer(&its, connection, &moved, false);
}

/* take_received_plaintext(1 CommonState *, 2 Payload *) */
__hidden __noinline int rustls_read(void *ctx, void *table, void *key, __u64 measured, __s64 status)
{
	struct pt_regs *registers = ctx;

	return rustls_reads(PT_REGS_PARM1(registers), PT_REGS_PARM2(registers));
}

/*
 * handle(1 result *, 2 state, 3 Context *, 4 Message *): the context begins with the address of the
 * CommonState, the message with the mark of application data, which the probe's condition has
 * checked, and the Payload.
 */
__hidden __noinline int rustls_handle(void *ctx, void *table, void *key, __u64 measured,
				      __s64 status)
{
	struct pt_regs *registers = ctx;
	__u64 state = 0;

	if (bpf_probe_read_user(&state, sizeof(state), (void *)PT_REGS_PARM3(registers))) {
		http_count_lost(HTTP_UNREADABLE);
		return 0;
	}
	return rustls_reads(state, PT_REGS_PARM4(registers) + sizeof(__u64));
}

/* Returns what the thread lets wait, or NULL if the map is full. */
static __always_inline struct rustls_thread *rustls_thread(void)
{
	__u64 ids = bpf_get_current_pid_tgid();
	struct rustls_thread *thread;
	__u32 tid = ids;

	thread = bpf_map_lookup_elem(&rustls_threads, &tid);
	if (thread && thread->tgid == ids >> 32)
		return thread;
	bpf_map_update_elem(&rustls_threads, &tid, &rustls_no_thread, BPF_ANY);
	thread = bpf_map_lookup_elem(&rustls_threads, &tid);
	if (thread)
		thread->tgid = ids >> 32;
	return thread;
}

static __always_inline bool rustls_wait_for(struct rustls_thread *waiting, __u64 state,
					    __u64 begin_ns, __u64 buffer, __u64 bytes)
{
	__u32 index = waiting->count;
	struct rustls_write *write;

	if (index >= RUSTLS_WAITING) {
		http_count_lost(HTTP_SOCKET_UNKNOWN);
		return false;
	}
	write = &waiting->waiting[index & (RUSTLS_WAITING - 1)];
	write->state = state;
	write->begin_ns = begin_ns;
	write->part.buffer = buffer;
	write->part.vector = 0;
	write->part.bytes = bytes;
	waiting->count = index + 1;
	return true;
}

/*
 * Lets a write wait for the thread's next send. The program frees the array of slices before. Of
 * the slices after the first ones we only keep the length.
 */
static __noinline int rustls_wait(const struct rustls_write *write)
{
	struct tls_thread *thread = tls_thread();
	struct rustls_thread *waiting = rustls_thread();
	__u64 at = write->part.vector, left = write->part.bytes;

	if (!thread || !waiting)
		return 0;
	if (!thread->waiting)
		waiting->count = 0;
	if (!at)
		rustls_wait_for(waiting, write->state, write->begin_ns, write->part.buffer, left);
	for (__u32 i = 0; at && left && i < RUSTLS_WAITING; i++) {
		struct iovec slice = {};
		bool is_last = waiting->count == RUSTLS_WAITING - 1;

		if (bpf_probe_read_user(&slice, sizeof(slice), (void *)at))
			break;
		if (slice.iov_len > left)
			slice.iov_len = left;
		if (is_last && slice.iov_len < left) {
			slice.iov_base = 0;
			slice.iov_len = left;
		}
		if (slice.iov_len && !rustls_wait_for(waiting, write->state, write->begin_ns,
						      (__u64)slice.iov_base, slice.iov_len))
			break;
		left -= slice.iov_len;
		at += sizeof(slice);
	}
	thread->waiting = waiting->count;
	return 0;
}

/*
 * The thread has sent TLS records to a socket: the writes that have waited for this belong to it.
 * Not inlined, so that the caller does not need its stack space as well.
 */
static __noinline int rustls_sent(__u64 socket)
{
	__u64 ids = bpf_get_current_pid_tgid();
	__u32 tid = ids, count;
	struct rustls_thread *thread = bpf_map_lookup_elem(&rustls_threads, &tid);
	struct http_connection *connection;

	if (!thread || thread->tgid != ids >> 32)
		return 0;
	count = thread->count;
	thread->count = 0;
	for (__u32 i = 0; i < RUSTLS_WAITING; i++) {
		if (i >= count)
			break;
		connection = rustls_connection(&thread->its, socket, ids >> 32);
		if (!connection)
			break;
		rustls_remember(thread->waiting[i].state, &thread->its, connection);
		rustls_fill(&thread->waiting[i], &thread->moved);
		tls_transfer(&thread->its, connection, &thread->moved, true);
	}
	return 0;
}

/* Returns the connection of a state if it is known and still open, or NULL. */
static __always_inline struct http_connection *rustls_known(__u64 state, struct http_key *its)
{
	struct http_connection *connection;
	struct rustls_state *known;
	__u64 inode = 0;

	its->object = state;
	its->tgid = bpf_get_current_pid_tgid() >> 32;
	known = bpf_map_lookup_elem(&rustls_states, its);
	if (known) {
		its->object = known->object;
		inode = known->inode;
	}
	connection = bpf_map_lookup_elem(&http_connections, its);
	if (!connection || connection->ended_ns || (inode && connection->inode != inode))
		return NULL;
	return connection;
}

/* Returns the connection that this write begins, or NULL if it is not the first one of a client. */
static __always_inline struct http_connection *rustls_begun(const struct rustls_write *write,
							    struct http_key *its)
{
	const struct rustls_part *part = &write->part;
	struct tls_thread *thread = tls_thread();
	struct http_connection *carrier, *connection;
	struct http_key socket = {};
	int look;

	if (!thread)
		return NULL;
	socket.object = thread->moved;
	carrier = bpf_map_lookup_elem(&http_connections, &socket);
	if (!carrier || !carrier->greets || carrier->other)
		return NULL;
	look = http_look(part->buffer, part->vector, part->vectors, part->bytes, false);
	if (look != LOOKS_LIKE_REQUEST && look != LOOKS_LIKE_PREFACE)
		return NULL;
	its->object = write->state;
	its->tgid = thread->tgid;
	connection = http_connection_of(its);
	if (!connection)
		return NULL;
	if (connection->ended_ns)
		tls_restart(its, connection);
	connection->inode = bpf_ktime_get_ns();
	rustls_remember(write->state, its, connection);
	return connection;
}

static __always_inline int rustls_sends(const struct rustls_write *write)
{
	struct http_connection *connection;
	struct http_call_data moved = {};
	struct tls_thread *thread;
	struct http_key its = {};

	connection = rustls_known(write->state, &its);
	if (!connection)
		connection = rustls_begun(write, &its);
	if (!connection) {
		rustls_wait(write);
		return 0;
	}
	thread = connection->other ? NULL : tls_thread();
	if (thread)
		thread->written = its.object;
	rustls_fill(write, &moved);
	return tls_transfer(&its, connection, &moved, true);
}

static __always_inline int rustls_wrote(__u64 state, struct rustls_chunks *chunks, __u64 begin_ns)
{
	struct rustls_write first = {.state = state, .begin_ns = begin_ns}, second = first;

	if (!rustls_split(chunks, &first.part, &second.part)) {
		http_count_lost(HTTP_UNREADABLE);
		return 0;
	}
	for (__u32 i = 0; i < RUSTLS_PARTS; i++) {
		if (first.part.bytes && first.part.bytes <= 1 << 30)
			rustls_sends(&first);
		first.part = second.part;
		second.part.bytes = 0;
	}
	return 0;
}

/*
 * send_single_fragment(1 CommonState *, 2 message *): at most one record of plaintext, all of which
 * is sent. The probe's condition has checked that it is application data.
 */
__hidden __noinline int rustls_fragment(void *ctx, void *table, void *key, __u64 measured,
					__s64 status)
{
	struct pt_regs *registers = ctx;
	struct rustls_chunks chunks = {};

	if (bpf_probe_read_user(&chunks, sizeof(chunks), (void *)PT_REGS_PARM2(registers))) {
		http_count_lost(HTTP_UNREADABLE);
		return 0;
	}
	return rustls_wrote(PT_REGS_PARM1(registers), &chunks, bpf_ktime_get_ns());
}

/* The calls of send_appdata_encrypt() under way. */
struct rustls_call {
	__u64 state, begin_ns;
	struct rustls_chunks chunks;
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct tls_call_key);
	__type(value, struct rustls_call);
} rustls_calls SEC(".maps");

/*
 * send_appdata_encrypt(1 CommonState *, 2 OutboundChunks *): the plaintext that the program offers.
 * How much of it is sent is known at the end.
 */
__hidden __noinline int rustls_begin(void *ctx, void *table, void *key, __u64 measured,
				     __s64 status)
{
	struct pt_regs *registers = ctx;
	struct tls_call_key its = tls_call_key(PT_REGS_SP(registers), NULL);
	struct rustls_call call = {.state = PT_REGS_PARM1(registers)};

	if (bpf_probe_read_user(&call.chunks, sizeof(call.chunks),
				(void *)PT_REGS_PARM2(registers))) {
		http_count_lost(HTTP_UNREADABLE);
		return 0;
	}
	call.begin_ns = bpf_ktime_get_ns();
	if (bpf_map_update_elem(&rustls_calls, &its, &call, BPF_ANY))
		http_count_lost(HTTP_CALLS_FULL);
	return 0;
}

__hidden __noinline int rustls_end(void *ctx, void *table, void *key, __u64 measured, __s64 status)
{
	__u64 taken = site_result(ctx);
	struct tls_call_key its = tls_call_key(site_entry_stack(ctx), NULL);
	struct rustls_call *found = bpf_map_lookup_elem(&rustls_calls, &its), call;

	if (!found) {
		if (taken)
			http_count_lost(HTTP_CALL_UNKNOWN);
		return 0;
	}
	call = *found;
	bpf_map_delete_elem(&rustls_calls, &its);
	if (call.chunks.array)
		call.chunks.end = call.chunks.begin + taken;
	else
		call.chunks.begin = taken;
	return taken ? rustls_wrote(call.state, &call.chunks, call.begin_ns) : 0;
}

TLS_TEMPLATE(rustls_read)
TLS_TEMPLATE(rustls_handle)
TLS_TEMPLATE(rustls_fragment)
TLS_TEMPLATE(rustls_begin)
TLS_TEMPLATE(rustls_end)
