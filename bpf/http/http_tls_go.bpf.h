/* Traces the plaintext of TLS connections of Go programs (crypto/tls). */
#pragma once

#include "bpf/http/http_tls.bpf.h"

/*
 * The values that generated programs pass (common/http/tls_hooks.cpp), after a header and the
 * status of reading them.
 */
struct tls_go_call {
	__u64 before[2];
	__u64 connection, buffer, length; /* 0: unreadable */
};

/*
 * A crypto/tls.Conn begins with its net.Conn, which nearly always is a *net.TCPConn. That begins
 * with a *net.netFD, and this with a poll.FD, in which the descriptor follows a lock of 16 bytes.
 * This layout is as old as Go 1.9. We check that the result is a socket that has moved TLS records.
 * For other connections, tls_find_socket() takes the socket from which the thread last received
 * such records.
 */
static __always_inline void go_find_socket(struct http_key *key, struct http_connection *connection)
{
	struct http_connection *carrier;
	struct http_key socket = {};
	__u64 address = 0;
	__u32 descriptor = 0;

	if (bpf_probe_read_user(&address, sizeof(address), (void *)(key->object + 8)) ||
	    bpf_probe_read_user(&address, sizeof(address), (void *)address) ||
	    bpf_probe_read_user(&descriptor, sizeof(descriptor), (void *)(address + 16)))
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

/* Handles the call's bytes from `begin` to `end`. */
static __always_inline int go_moved(const struct tls_go_call *call, __u8 direction, __u64 begin,
				    __u64 end)
{
	struct http_key its = go_key(call);
	struct http_call_data moved = {.flags = HTTP_BY_TLS,
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
	return tls_transfer(&its, connection, &moved, false);
}

/*
 * When (*Conn).Read returns. `key` has the values of its entry, matched by goroutine; NULL: no
 * entry was found.
 */
__hidden __noinline int tls_go_read(void *ctx, void *table, void *key, __u64 measured, __s64 status)
{
	if (!key) {
		http_count_lost(HTTP_CALLS_FULL);
		return 0;
	}
	return go_moved(key, HTTP_RECEIVED, 0, ((struct tls_go_call *)key)->length);
}

/*
 * After the socket has ended nothing is sent, but Go's HTTP/2 may still write what it had queued.
 */
static __always_inline bool go_has_ended(const struct tls_go_call *call)
{
	struct http_key its = go_key(call);
	struct http_connection *connection = bpf_map_lookup_elem(&http_connections, &its);

	return connection && connection->ended_ns;
}

/*
 * (*Conn).Write sends its bytes in records, one after the other. We count the first record when the
 * call begins: another goroutine may read the response before the call returns. We count the others
 * when it has returned, because a client that disconnects ends the call early.
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
