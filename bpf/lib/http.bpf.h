/*
 * HTTP messages on their way: which calls of a program have one's head, or may, and their first bytes.
 *
 * A connection is recognised by the first bytes of a call: a method, "HTTP", HTTP/2's preface. The usual methods
 * are known by four bytes; of any other word the line is looked at, which is a request's if it says HTTP/1 at
 * its end. What is HTTP here is only guessed; the frontend parses it (common/wire/). Every call adds its length to the
 * connection's offset in its direction, and what is handed over says where in the stream it stood. So the
 * frontend knows where a body ends that it never sees, and that the next message begins there. The last bytes
 * that have moved are kept, too: they tell whether a body of chunks, which has no length, has ended.
 *
 *     call                                   what becomes of it
 *     begins like a head                     handed over, with HTTP_MOST_BYTES at most
 *     one of the next CONTINUATIONS          the same: the head may go on, and bodies have inner lengths
 *     any other of the connection            counted in the offset
 *     of a connection that is no HTTP        looked at 16 times, then each 16th time
 *
 * What is read of the kernel's structures is relocated (CO-RE): objects with these programs read the
 * kernel's types when they are loaded (4-6 ms).
 */
#pragma once

#include <bpf/bpf_endian.h>
#include "lib/http_emit.bpf.h"
#include "lib/http_frames.bpf.h"
#include "lib/http_look.bpf.h"

/*
 * Of TCP sockets until they are closed, of TLS libraries until they free the connection. The end of
 * unix sockets is not seen, nor that of the TLS of a process that is killed.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, struct http_key);
	__type(value, struct http_connection);
} http_connections SEC(".maps");

/* Empty, as new ones are: too large for the stack. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct http_connection);
} http_no_connection SEC(".maps");

enum { /* http_connection.kind */
       CONNECTION_NEW,
       CONNECTION_HTTP1,
       CONNECTION_HTTP2,
       CONNECTION_TLS,
};

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
 * A server answers that HTTP/2 follows (h2c): frames are what comes behind this head, and, of the client, behind the preface. The
 * head itself is not handed over: the request that it answers is the first stream.
 */
static __always_inline void go_over(struct http_connection *connection,
				    const struct http_moved *moved)
{
	__u32 direction = moved->direction & 1;
	int head = http_upgrade_length(moved->buffer, moved->vector, moved->vectors, moved->bytes);

	if (head <= 0)
		return;
	barrier_var(direction);
	direction &= 1;
	connection->kind = CONNECTION_HTTP2;
	__builtin_memset(connection->tail, 0, sizeof(connection->tail));
	connection->rest[direction] = head;
	direction = !direction;
	connection->rest[direction] = PREFACE;
	connection->frames[direction] |= FRAMES_REQUESTS;
}

/* Of a connection that is no HTTP, as it seems, most calls are only counted: before anything else is found out about them. */
static __always_inline bool http_is_skipped(struct http_connection *connection,
					    const struct http_moved *moved)
{
	if (connection->kind != CONNECTION_NEW || connection->misses < MISSES ||
	    !(connection->misses++ & (MISSES - 1)))
		return false;
	if (!connection->misses)
		connection->misses = MISSES;
	connection->offset[moved->direction & 1] += moved->bytes;
	return true;
}

/* What one call has moved, of a connection that may be HTTP's and is not skipped. `may_be_vector`: a constant. */
static __always_inline int http_take(const struct http_key *key, struct http_connection *connection,
				     const struct http_moved *moved, const bool may_be_vector)
{
	__u8 direction = moved->direction & 1;
	struct http_what what = {.key = key, .connection = connection, .moved = moved};
	__u64 cap;
	int look = LOOKS_OTHERWISE;

	what.offset = connection->offset[direction];
	what.last_ns = connection->last_ns[direction];
	what.flags = moved->flags;
	/* The time before the offset: whoever reads a new offset has a new time, too. */
	if (connection->kind != CONNECTION_NEW && connection->kind != CONNECTION_TLS)
		connection->last_ns[direction] = bpf_ktime_get_ns();
	barrier();
	connection->offset[direction] += moved->bytes;
	if (connection->kind == CONNECTION_TLS)
		return 0;
	if (connection->kind == CONNECTION_NEW)
		connection->last_ns[direction] = bpf_ktime_get_ns();

	if (connection->kind != CONNECTION_HTTP2 && (moved->buffer || moved->vector))
		look = http_look(moved->buffer, moved->vector, moved->vectors, moved->bytes,
				 connection->kind == CONNECTION_HTTP1);
	if (look == LOOKS_LIKE_UPGRADE) {
		look = LOOKS_LIKE_RESPONSE;
		go_over(connection, moved);
	} else if (look == LOOKS_LIKE_PREFACE) {
		connection->kind = CONNECTION_HTTP2;
		__builtin_memset(connection->tail, 0, sizeof(connection->tail));
		connection->frames[direction] |= FRAMES_REQUESTS;
		connection->rest[direction] = PREFACE;
	}
	barrier();
	if (connection->kind == CONNECTION_HTTP2)
		return http_take_frames(&what);
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
	} else if (!key->tgid && (look == LOOKS_LIKE_TLS_GREETING ||
				  (look == LOOKS_LIKE_TLS && connection->kind == CONNECTION_NEW))) {
		connection->kind = CONNECTION_TLS;
		connection->other_tgid = filter_ids() >> 32;
		emit_notice(key, connection, HTTP_TLS);
		return 0;
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
		what.flags |= HTTP_UNREAD;
	what.want = moved->bytes < cap ? moved->bytes : cap;
	if (!moved->buffer && !moved->vector)
		what.want = 0;
	emit(&what, may_be_vector);
	if (connection->kind == CONNECTION_HTTP1)
		keep_tail(connection, moved, may_be_vector);
	return 0;
}

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
