/*
 * Traces HTTP messages: finds the calls that may contain a message's head, and submits their first
 * bytes.
 *
 * The first bytes of a call reveal an HTTP connection: a method, "HTTP", or HTTP/2's preface. We
 * recognize the usual methods by four bytes; for any other word we check the line, which is a
 * request's if it ends in an HTTP/1 version. This is only a guess; the frontend parses the bytes
 * (common/wire/). Every call adds its length to the connection's offset in its direction, and each
 * record has its offset in the stream. So the frontend knows where a body ends, although it never
 * sees the body, and that the next message begins there. We also keep the last bytes that moved:
 * they show whether a chunked body, whose length is not known, has ended.
 *
 *     call                                   what we do
 *     begins like a head                     submit it, up to HTTP_MOST_BYTES
 *     one of the next CONTINUATIONS          submit it: a head or a chunk's length may follow
 *     any other of the connection            add its length to the offset
 *     of a connection that is not HTTP       look at the first 16 calls, then at every 16th
 *
 * We read kernel structures with CO-RE relocations, so libbpf parses the kernel's BTF when it loads
 * objects with these programs (4-6 ms).
 */
#pragma once

#include <bpf/bpf_endian.h>
#include "bpf/http/http_emit.bpf.h"
#include "bpf/http/http_frames.bpf.h"
#include "bpf/http/http_look.bpf.h"

/*
 * We delete an entry when its TCP socket is closed, or when the TLS library frees the connection.
 * We do not see the end of unix sockets, nor of the TLS connections of a process that is killed.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, struct http_key);
	__type(value, struct http_connection);
} http_connections SEC(".maps");

/* The initial value of new entries, which is too large for the stack. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct http_connection);
} http_no_connection SEC(".maps");

/*
 * The processes whose TLS library was found without names (common/tls/): their new connections are
 * on trial, until the frontend knows whether the plaintext agrees with the TLS records.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, __u8);
} http_tried SEC(".maps");

enum { /* http_connection.kind */
       CONNECTION_NEW,
       CONNECTION_HTTP1,
       CONNECTION_HTTP2,
       CONNECTION_TLS,
       CONNECTION_HTTP3, /* of a library of HTTP/3 (bpf/http/http3.bpf.h) */
};

/* Has the frontend been told of the connection, so that it has to know its end, too? */
static __always_inline bool http_is_reported(const struct http_connection *connection)
{
	return connection->kind != CONNECTION_NEW && connection->kind != CONNECTION_TLS;
}

struct ns_common___http {
	unsigned int inum;
} RELOCATED;
struct net___http {
	struct ns_common___http ns;
} RELOCATED;
struct possible_net___http {
	struct net___http *net;
} RELOCATED;
struct sock_common___http {
	unsigned short skc_family;
	unsigned short skc_num;
	unsigned short skc_dport;
	unsigned int skc_daddr;
	unsigned int skc_rcv_saddr;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
	struct possible_net___http skc_net;
} RELOCATED;
struct sock___http {
	struct sock_common___http __sk_common;
	unsigned short sk_type;
	struct socket___http *sk_socket;
} RELOCATED;
struct file___http {
	struct inode___http *f_inode;
} RELOCATED;
struct socket___http {
	struct file___http *file;
	struct sock___http *sk;
} RELOCATED;
struct inode___http {
	unsigned long i_ino;
} RELOCATED;

enum {
	FAMILY_UNIX = 1,
	FAMILY_IPV4 = 2,
	FAMILY_IPV6 = 10,
	TYPE_STREAM = 1,
	TYPE_DATAGRAM = 2,
	CONTINUATIONS = 64,
	LARGE_CONTINUATION = 4096,
	MISSES = 16,
	PREFACE = 24,
};

static __always_inline void http_read_address(struct sock___http *sock,
					      struct http_address *address)
{
	address->family = BPF_CORE_READ(sock, __sk_common.skc_family);
	address->netns = BPF_CORE_READ(sock, __sk_common.skc_net.net, ns.inum);
	if (address->family == FAMILY_IPV4) {
		BPF_CORE_READ_INTO((__u32 *)address->local, sock, __sk_common.skc_rcv_saddr);
		BPF_CORE_READ_INTO((__u32 *)address->remote, sock, __sk_common.skc_daddr);
	} else if (address->family == FAMILY_IPV6) {
		BPF_CORE_READ_INTO((struct in6_addr *)address->local, sock,
				   __sk_common.skc_v6_rcv_saddr);
		BPF_CORE_READ_INTO((struct in6_addr *)address->remote, sock,
				   __sk_common.skc_v6_daddr);
	} else {
		return;
	}
	address->local_port = BPF_CORE_READ(sock, __sk_common.skc_num);
	address->remote_port = bpf_ntohs(BPF_CORE_READ(sock, __sk_common.skc_dport));
}

/*
 * Call for a response that switches to another protocol. If that is HTTP/2 (h2c), frames follow the
 * response's head, and in the other direction the client's preface. We do not submit the head
 * itself, because the request that it answers becomes the first stream.
 */
static __always_inline void go_over(struct http_connection *connection,
				    const struct http_call_data *moved)
{
	__u32 direction = moved->direction & 1;
	int head;

	head = http_upgrade_length(moved->buffer, moved->vector, moved->vectors, moved->bytes);
	if (head <= 0)
		return;
	barrier_var(direction);
	direction &= 1;
	connection->kind = CONNECTION_HTTP2;
	__builtin_memset(connection->tail, 0, sizeof(connection->tail));
	connection->frame_bytes_left[direction] = head;
	direction = !direction;
	connection->frame_bytes_left[direction] = PREFACE;
	connection->frames[direction] |= FRAMES_REQUESTS;
}

/*
 * Skips most calls of a connection that seems not to be HTTP: only counts their bytes, before any
 * other work.
 */
static __always_inline bool http_is_skipped(struct http_connection *connection,
					    const struct http_call_data *moved)
{
	if (connection->kind != CONNECTION_NEW || connection->misses < MISSES ||
	    !(connection->misses++ & (MISSES - 1)))
		return false;
	if (!connection->misses)
		connection->misses = MISSES;
	connection->offset[moved->direction & 1] += moved->bytes;
	return true;
}

/* Counts a transfer of a connection on trial; returns whether its bytes are to be submitted. */
static __always_inline bool http_is_tried(struct http_connection *connection,
					  const struct http_call_data *moved)
{
	if (!connection->tries || (!moved->buffer && !moved->vector))
		return false;
	connection->tries--;
	return true;
}

static __always_inline __u8 http_tries(void)
{
	__u32 tgid = filter_ids() >> 32;

	return bpf_map_lookup_elem(&http_tried, &tgid) ? HTTP_TRIES : 0;
}

/*
 * Handles the bytes that one call moved, on a connection that is not skipped. `may_be_vector` and
 * `is_plaintext` (of a TLS library) are constants.
 */
static __always_inline int http_take(const struct http_key *key, struct http_connection *connection,
				     const struct http_call_data *moved, const bool may_be_vector,
				     const bool is_plaintext)
{
	__u8 direction = moved->direction & 1;
	struct http_event_source source = {.key = key, .connection = connection, .moved = moved};
	__u64 cap;
	int look = LOOKS_OTHERWISE;

	source.offset = connection->offset[direction];
	source.last_ns = connection->last_ns[direction];
	source.flags = moved->flags;
	/*
	 * Store the time before the offset: a reader that sees the new offset also sees the new
	 * time.
	 */
	if (connection->kind != CONNECTION_NEW && connection->kind != CONNECTION_TLS)
		connection->last_ns[direction] = bpf_ktime_get_ns();
	barrier();
	connection->offset[direction] += moved->bytes;
	if (connection->kind == CONNECTION_TLS &&
	    (is_plaintext || !http_is_tried(connection, moved)))
		return 0;
	if (connection->kind == CONNECTION_NEW)
		connection->last_ns[direction] = bpf_ktime_get_ns();

	if (connection->kind != CONNECTION_HTTP2 && connection->kind != CONNECTION_TLS &&
	    (moved->buffer || moved->vector))
		look = http_look(moved->buffer, moved->vector, moved->vectors, moved->bytes,
				 connection->kind == CONNECTION_HTTP1);
	if (look == LOOKS_LIKE_UPGRADE) {
		look = LOOKS_LIKE_RESPONSE;
		if (!is_plaintext) /* h2c is HTTP/2 without TLS */
			go_over(connection, moved);
	} else if (look == LOOKS_LIKE_PREFACE) {
		connection->kind = CONNECTION_HTTP2;
		__builtin_memset(connection->tail, 0, sizeof(connection->tail));
		connection->frames[direction] |= FRAMES_REQUESTS;
		connection->frame_bytes_left[direction] = PREFACE;
	}
	barrier();
	if (connection->kind == CONNECTION_HTTP2)
		return http_take_frames(&source);
	if (look == LOOKS_LIKE_RESPONSE) {
		connection->kind = CONNECTION_HTTP1;
		connection->left[direction] = CONTINUATIONS;
		cap = moved->bytes > HTTP_SOME_BYTES &&
				      !http_head_length(moved->buffer, moved->vector,
							moved->vectors, moved->bytes)
			      ? HTTP_MOST_BYTES
			      : HTTP_SOME_BYTES;
	} else if (look == LOOKS_LIKE_REQUEST) {
		connection->kind = CONNECTION_HTTP1;
		connection->left[direction] = CONTINUATIONS;
		cap = HTTP_MOST_BYTES;
	} else if (!is_plaintext && !key->tgid &&
		   (look == LOOKS_LIKE_TLS_GREETING ||
		    (look == LOOKS_LIKE_TLS && connection->kind == CONNECTION_NEW))) {
		connection->kind = CONNECTION_TLS;
		connection->greets = look == LOOKS_LIKE_TLS_GREETING && direction == HTTP_SENT;
		connection->other_tgid = filter_ids() >> 32;
		emit_notice(key, connection, HTTP_TLS);
		connection->tries = look == LOOKS_LIKE_TLS_GREETING ? http_tries() : 0;
		if (!http_is_tried(connection, moved))
			return 0;
		source.kind = HTTP_TLS_RECORDS;
		cap = HTTP_MOST_BYTES;
	} else if (!is_plaintext && connection->kind == CONNECTION_TLS) {
		source.kind = HTTP_TLS_RECORDS;
		cap = HTTP_MOST_BYTES;
	} else if (connection->kind == CONNECTION_HTTP1 && connection->left[direction]) {
		cap = connection->left[direction] == CONTINUATIONS ||
				      moved->bytes < LARGE_CONTINUATION
			      ? HTTP_MOST_BYTES
			      : HTTP_FEW_BYTES;
		connection->left[direction]--;
	} else {
		if (connection->kind == CONNECTION_HTTP1)
			keep_tail(connection, moved, may_be_vector);
		else if (connection->misses < MISSES)
			connection->misses++;
		return 0;
	}
	if (!moved->buffer && !moved->vector)
		source.flags |= HTTP_UNREAD;
	source.want = moved->bytes < cap ? moved->bytes : cap;
	if (!moved->buffer && !moved->vector)
		source.want = 0;
	emit(&source, may_be_vector);
	if (connection->kind == CONNECTION_HTTP1)
		keep_tail(connection, moved, may_be_vector);
	return 0;
}

/* Returns the connection, which it creates if necessary, or NULL if the map has no room. */
static __always_inline struct http_connection *http_connection_of(const struct http_key *key)
{
	struct http_connection *connection = bpf_map_lookup_elem(&http_connections, key), *empty;
	__u32 zero = 0;

	if (connection)
		return connection;
	empty = bpf_map_lookup_elem(&http_no_connection, &zero);
	if (!empty)
		return NULL;
	bpf_map_update_elem(&http_connections, key, empty, BPF_NOEXIST);
	return bpf_map_lookup_elem(&http_connections, key);
}
