/*
 * What goes through TLS libraries: in clear, where a program hands it over and where it gets it.
 *
 * At the beginning of a call of SSL_read(), SSL_write() and their like it is noted by thread where the
 * memory is; at its end how much has moved. Which socket carries a connection is not read from the
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

struct tls_call {
	__u64 connection; /* in the process; 0: none */
	__u64 buffer;
	__u64 length_at; /* where the library puts how much has moved; 0: it is the result */
	__u64 begin_ns;
	__u32 tgid;
	__u8 direction;
	__u8 has_ended; /* what it has written may be sent after it */
	__u8 pad[2];
};

/* The last call of each thread. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, struct tls_call);
} tls_calls SEC(".maps");

/* The socket from which each thread has received records of TLS last. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, __u64);
} tls_sockets SEC(".maps");

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

/* A socket has moved records of TLS. */
static __always_inline void tls_moved(struct http_key *socket, struct http_connection *carrier,
				      __u8 direction)
{
	__u32 thread = bpf_get_current_pid_tgid();
	struct tls_call *call = bpf_map_lookup_elem(&tls_calls, &thread);
	struct http_connection *connection;
	struct http_key key = {};

	if (direction == HTTP_RECEIVED)
		bpf_map_update_elem(&tls_sockets, &thread, &socket->object, BPF_ANY);
	if (!call || !call->connection || call->direction != direction)
		return;
	if (call->has_ended && direction == HTTP_RECEIVED)
		return;
	key.object = call->connection;
	key.tgid = call->tgid;
	connection = http_connection_of(&key);
	if (connection && !(call->has_ended && connection->other))
		tls_bind(&key, connection, socket, carrier);
	if (call->has_ended)
		call->connection = 0;
}

static __always_inline int tls_begin(struct pt_regs *ctx, __u64 length_at, __u8 direction)
{
	__u64 ids = bpf_get_current_pid_tgid();
	__u32 thread = ids;
	struct tls_call call = {
		.connection = PT_REGS_PARM1(ctx),
		.buffer = PT_REGS_PARM2(ctx),
		.length_at = length_at,
		.begin_ns = bpf_ktime_get_ns(),
		.tgid = ids >> 32,
		.direction = direction,
	};

	if (bpf_map_update_elem(&tls_calls, &thread, &call, BPF_ANY))
		http_count_lost(HTTP_CALLS_FULL);
	return 0;
}

/* `measured`: where the library puts the length, or 0. */
__hidden __noinline int tls_read(void *ctx, void *table, void *key, __u64 measured, __s64 status)
{
	return tls_begin(ctx, measured, HTTP_RECEIVED);
}

__hidden __noinline int tls_write(void *ctx, void *table, void *key, __u64 measured, __s64 status)
{
	return tls_begin(ctx, measured, HTTP_SENT);
}

static __always_inline void tls_find_socket(struct http_key *key,
					    struct http_connection *connection)
{
	__u32 thread = bpf_get_current_pid_tgid();
	__u64 *object = bpf_map_lookup_elem(&tls_sockets, &thread);
	struct http_connection *carrier;
	struct http_key socket = {};

	if (!object)
		return;
	socket.object = *object;
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

/* At the end of the call, where the result is in its register. */
__hidden __noinline int tls_end(void *ctx, void *table, void *key, __u64 measured, __s64 status)
{
	struct http_moved moved = {.flags = HTTP_BY_TLS};
	__s32 result = PT_REGS_RC((struct pt_regs *)ctx);
	__u32 thread = bpf_get_current_pid_tgid();
	struct tls_call *call = bpf_map_lookup_elem(&tls_calls, &thread);
	struct http_connection *connection;
	struct http_key its = {};
	__u64 length;

	if (!call || !call->connection || call->has_ended)
		return 0;
	call->has_ended = 1;
	if (result <= 0)
		return 0;
	length = result;
	if (call->length_at &&
	    bpf_probe_read_user(&length, sizeof(length), (void *)call->length_at)) {
		http_count_lost(HTTP_UNREADABLE);
		return 0;
	}
	if (!length || length > 1 << 30)
		return 0;
	its.object = call->connection;
	its.tgid = call->tgid;
	moved.buffer = call->buffer;
	moved.bytes = length;
	moved.direction = call->direction;
	moved.begin_ns = call->direction == HTTP_SENT ? call->begin_ns : 0;
	connection = http_connection_of(&its);
	if (!connection)
		return 0;
	if (!connection->other && call->direction == HTTP_RECEIVED)
		tls_find_socket(&its, connection);
	return tls_transfer(&its, connection, &moved);
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
