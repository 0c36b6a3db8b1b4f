/*
 * Traces data that goes through sockets, whatever system call moves it.
 *
 * Linux 6.3 has tracepoints in all sends and receives of sockets (sock_send_length,
 * sock_recv_length). They fire in the call of the thread that sends or receives, after the bytes
 * have moved: the tracepoint reports the socket and the length, and the thread's saved registers
 * have the call's number and the address of its memory. Other calls cost nothing. On older kernels
 * we look at the end of every system call and find the socket by its descriptor.
 */
#pragma once

#include "bpf/http/http3.bpf.h"
#include "bpf/http/http_tls_rustls.bpf.h"

enum {
	MSG_PEEKS = 2, /* MSG_PEEK */
	STATE_ESTABLISHED = 1,
	STATE_SYN_SENT = 2,
	STATE_FIN_WAIT1 = 4,
	STATE_CLOSE = 7,
	STATE_LAST_ACK = 9,
	QUIC_BYTES = 1200, /* minimum size of the datagram that begins a connection */
	QUIC_1 = 1,
	QUIC_2 = 0x6b3343cf,
};

struct http_call {
	__u64 descriptor, memory, count, flags, stack;
	__s32 number;
	bool is_32_bit;
};

/*
 * These read a register: the first from a pt_regs whose type the verifier knows, the second from
 * any other.
 */
#define REGISTER(from, name) ((from)->name)
#define UNCHECKED_REGISTER(from, name)                                                             \
	({                                                                                         \
		typeof((from)->name) value_ = 0;                                                   \
		bpf_probe_read_kernel(&value_, sizeof(value_), &(from)->name);                     \
		value_;                                                                            \
	})

#if defined(__TARGET_ARCH_x86)
enum {
	CALL_READ = 0,
	CALL_WRITE = 1,
	CALL_READV = 19,
	CALL_WRITEV = 20,
	CALL_SENDFILE = 40,
	CALL_SENDTO = 44,
	CALL_RECVFROM = 45,
	CALL_SENDMSG = 46,
	CALL_RECVMSG = 47,
	CALL_SPLICE = 275,
	CALL_RECVMMSG = 299,
	CALL_SENDMMSG = 307,
	CALL_PREADV2 = 327,
	CALL_PWRITEV2 = 328,
};
#define FILL_CALL(call, from, get)                                                                 \
	do {                                                                                       \
		(call)->number = get(from, orig_ax);                                               \
		(call)->descriptor = get(from, di);                                                \
		(call)->memory = get(from, si);                                                    \
		(call)->count = get(from, dx);                                                     \
		(call)->flags = get(from, r10);                                                    \
		(call)->stack = get(from, sp);                                                     \
		(call)->is_32_bit = get(from, cs) == 0x23;                                         \
	} while (0)
#else
enum {
	CALL_READ = 63,
	CALL_WRITE = 64,
	CALL_READV = 65,
	CALL_WRITEV = 66,
	CALL_SENDFILE = 71,
	CALL_SPLICE = 76,
	CALL_SENDTO = 206,
	CALL_RECVFROM = 207,
	CALL_SENDMSG = 211,
	CALL_RECVMSG = 212,
	CALL_RECVMMSG = 243,
	CALL_SENDMMSG = 269,
	CALL_PREADV2 = 286,
	CALL_PWRITEV2 = 287,
};
#define FILL_CALL(call, from, get)                                                                 \
	do {                                                                                       \
		(call)->number = get(from, syscallno);                                             \
		(call)->descriptor = get(from, orig_x0);                                           \
		(call)->memory = get(from, regs[1]);                                               \
		(call)->count = get(from, regs[2]);                                                \
		(call)->flags = get(from, regs[3]);                                                \
		(call)->stack = get(from, sp);                                                     \
		(call)->is_32_bit = get(from, pstate) & 0x10;                                      \
	} while (0)
#endif

/*
 * Finds the address of the memory from which a call sends, or into which it receives. Returns false
 * if the address is not known.
 */
static __always_inline bool find_memory(const struct http_call *call, struct http_call_data *moved)
{
	struct user_msghdr message;

	if (call->is_32_bit) {
		http_count_lost(HTTP_NO_BUFFER);
		return false;
	}
	switch (call->number) {
	case CALL_READ:
	case CALL_WRITE:
	case CALL_SENDTO:
	case CALL_RECVFROM:
		moved->buffer = call->memory;
		return true;
	case CALL_READV:
	case CALL_WRITEV:
	case CALL_PREADV2:
	case CALL_PWRITEV2:
		moved->vector = call->memory;
		moved->vectors = call->count;
		break;
	case CALL_SENDMSG:
	case CALL_RECVMSG:
	case CALL_SENDMMSG: /* the first message; programs use several only for datagrams */
	case CALL_RECVMMSG:
		if (bpf_probe_read_user(&message, sizeof(message), (void *)call->memory)) {
			http_count_lost(HTTP_UNREADABLE);
			return false;
		}
		moved->vector = (__u64)message.msg_iov;
		moved->vectors = message.msg_iovlen;
		break;
	case CALL_SENDFILE:
	case CALL_SPLICE:
		return false; /* bodies */
	default:
		http_count_lost(HTTP_NO_BUFFER);
		return false;
	}
	/* Treat a vector of one piece like a buffer. */
	if (moved->vectors == 1) {
		struct iovec piece;

		if (bpf_probe_read_user(&piece, sizeof(piece), (void *)moved->vector))
			return false;
		moved->vector = 0;
		moved->buffer = (__u64)piece.iov_base;
	}
	return true;
}

static __always_inline bool is_stream(struct sock___http *sock)
{
	__u16 family = BPF_CORE_READ(sock, __sk_common.skc_family);

	return (family == FAMILY_IPV4 || family == FAMILY_IPV6 || family == FAMILY_UNIX) &&
	       BPF_CORE_READ(sock, sk_type) == TYPE_STREAM;
}

/*
 * Returns whether another unix socket is now at the address of an earlier one, whose end we cannot
 * see, and stores its inode. `is_typed`, a constant: the verifier knows the type of `sock`, so that
 * four reads are plain loads, which saves 0.1 us.
 */
static __always_inline bool is_other_unix(struct sock___http *sock, const bool is_typed,
					  struct http_connection *connection)
{
	__u64 inode = is_typed ? sock->sk_socket->file->f_inode->i_ino
			       : BPF_CORE_READ(sock, sk_socket, file, f_inode, i_ino);
	bool is_other = connection->inode && connection->inode != inode;

	connection->inode = inode;
	return is_other;
}

/*
 * Returns the connection of a socket through which a call moved bytes. Returns NULL if the bytes
 * can be ignored: the socket is not a stream, or the connection is skipped, or the map is full.
 * `is_typed`: see is_other_unix().
 */
static __always_inline struct http_connection *http_socket(struct http_key *key,
							   struct sock___http *sock,
							   const bool is_typed,
							   const struct http_call_data *moved)
{
	struct http_connection *connection = bpf_map_lookup_elem(&http_connections, key);

	if (!connection) {
		if (!is_stream(sock))
			return NULL;
		connection = http_connection_of(key);
		if (!connection)
			return NULL;
		http_read_address(sock, &connection->address);
	}
	if (connection->address.family == FAMILY_UNIX &&
	    is_other_unix(sock, is_typed, connection)) {
		emit_notice(key, connection, HTTP_CLOSED);
		bpf_map_delete_elem(&http_connections, key);
		connection = http_connection_of(key);
		if (!connection)
			return NULL;
		http_read_address(sock, &connection->address);
		is_other_unix(sock, is_typed, connection);
	}
	return http_is_skipped(connection, moved) ? NULL : connection;
}

/* `has_stack`, a constant: the caller leaves enough stack for writes of rustls. */
static __always_inline int http_moves(struct http_key *key, struct http_connection *connection,
				      const struct http_call *call, struct http_call_data *moved,
				      const bool has_stack)
{
	if (call->number == CALL_SPLICE && connection->kind == CONNECTION_NEW &&
	    !connection->offset[moved->direction & 1])
		http_count_lost(HTTP_SPLICED);
	if (connection->kind == CONNECTION_TLS && http_config.tls) {
		if (connection->tries)
			find_memory(call, moved);
		if (tls_moved(key, connection, moved->direction, call->stack)) {
			if (has_stack)
				rustls_sent(key->object);
			else
				http_count_lost(HTTP_SOCKET_UNKNOWN);
		}
		if (!connection->tries) {
			connection->offset[moved->direction & 1] += moved->bytes;
			return 0;
		}
	} else {
		find_memory(call, moved);
	}
	return http_take(key, connection, moved, true, false);
}

/*
 * Returns whether this datagram begins a QUIC connection. Such datagrams have at least 1200 bytes:
 * the caller checks that. The first byte has the type, and the version follows.
 */
static __always_inline bool begins_quic(const struct http_call_data *moved)
{
	struct iovec piece = {};
	__u64 at = moved->buffer;
	__u8 head[5] = {};
	__u32 version;

	if (moved->vector && !bpf_probe_read_user(&piece, sizeof(piece), (void *)moved->vector))
		at = (__u64)piece.iov_base;
	if (!at || bpf_probe_read_user(head, sizeof(head), (void *)at))
		return false;
	version = (__u32)head[1] << 24 | head[2] << 16 | head[3] << 8 | head[4];
	return (version == QUIC_1 && (head[0] & 0xf0) == 0xc0) ||
	       (version == QUIC_2 && (head[0] & 0xf0) == 0xd0);
}

static __always_inline void look_at_datagram(struct sock___http *sock, const struct http_call *call,
					     struct http_call_data *moved)
{
	__u16 family = BPF_CORE_READ(sock, __sk_common.skc_family);

	if ((family == FAMILY_IPV4 || family == FAMILY_IPV6) &&
	    BPF_CORE_READ(sock, sk_type) == TYPE_DATAGRAM && find_memory(call, moved) &&
	    begins_quic(moved))
		http3_count_datagram();
}

static __always_inline int http_length(struct bpf_raw_tracepoint_args *ctx, __u8 direction)
{
	struct http_call_data moved = {.bytes = ctx->args[1], .direction = direction};
	struct http_key key = {.object = ctx->args[0]};
	struct http_connection *connection;
	struct pt_regs *registers;
	struct http_call call;

	if ((__s32)ctx->args[1] <= 0 || !filter_passes(filter_ids()))
		return 0;
	if (direction == HTTP_RECEIVED && (ctx->args[2] & MSG_PEEKS))
		return 0;
	connection = http_socket(&key, (void *)ctx->args[0], true, &moved);
	if (!connection && direction == HTTP_RECEIVED)
		http3_received((void *)ctx->args[0]);
	if (!connection && (direction != HTTP_SENT || moved.bytes < QUIC_BYTES))
		return 0;
	registers = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	FILL_CALL(&call, registers, REGISTER);
	if (!connection) {
		look_at_datagram((void *)ctx->args[0], &call, &moved);
		return 0;
	}
	return http_moves(&key, connection, &call, &moved, true);
}

SEC("tp_btf/sock_send_length")
int http_sent(struct bpf_raw_tracepoint_args *ctx)
{
	return http_length(ctx, HTTP_SENT);
}

SEC("tp_btf/sock_recv_length")
int http_received(struct bpf_raw_tracepoint_args *ctx)
{
	return http_length(ctx, HTTP_RECEIVED);
}

/* Returns -1 if the call does not move bytes of sockets. */
static __always_inline int direction_of(const struct http_call *call)
{
	switch (call->number) {
	case CALL_READ:
	case CALL_READV:
	case CALL_PREADV2:
		return HTTP_RECEIVED;
	case CALL_RECVFROM:
		return call->flags & MSG_PEEKS ? -1 : HTTP_RECEIVED;
	case CALL_RECVMSG:
		return call->count & MSG_PEEKS ? -1 : HTTP_RECEIVED;
	case CALL_WRITE:
	case CALL_WRITEV:
	case CALL_PWRITEV2:
	case CALL_SENDTO:
	case CALL_SENDMSG:
	case CALL_SENDFILE:
		return HTTP_SENT;
	}
	return -1;
}

SEC("raw_tp/sys_exit")
int http_call_end(struct bpf_raw_tracepoint_args *ctx)
{
	struct http_call_data moved = {.bytes = ctx->args[1]};
	struct pt_regs *registers = (void *)ctx->args[0];
	struct http_connection *connection;
	struct http_key key = {};
	struct sock___http *sock;
	struct http_call call;
	int direction;

	if ((__s64)ctx->args[1] <= 0 || !filter_passes(filter_ids()))
		return 0;
	FILL_CALL(&call, registers, UNCHECKED_REGISTER);
	if (call.number == CALL_RECVMMSG)
		return http3_received(file_socket(call.descriptor));
	direction = direction_of(&call);
	if (direction < 0)
		return 0;
	sock = file_socket(call.descriptor);
	if (!sock)
		return 0;
	moved.direction = direction;
	key.object = (__u64)sock;
	connection = http_socket(&key, sock, false, &moved);
	if (!connection) {
		if (direction == HTTP_RECEIVED)
			http3_received(sock);
		else if (moved.bytes >= QUIC_BYTES)
			look_at_datagram(sock, &call, &moved);
		return 0;
	}
	return http_moves(&key, connection, &call, &moved, false);
}

/* Returns the TLS library's connection that this socket carries, or NULL; fills in its key. */
static __always_inline struct http_connection *carried_by(const struct http_key *socket,
							  const struct http_connection *connection,
							  struct http_key *key)
{
	struct http_connection *carried;

	if (connection->kind != CONNECTION_TLS || !connection->other)
		return NULL;
	key->object = connection->other;
	key->tgid = connection->other_tgid;
	carried = bpf_map_lookup_elem(&http_connections, key);
	return carried && carried->other == socket->object ? carried : NULL;
}

static __always_inline int http_end(struct http_key *key, struct http_connection *connection)
{
	struct http_key inner = {};
	struct http_connection *carried = carried_by(key, connection, &inner);

	if (http_is_reported(connection))
		emit_notice(key, connection, HTTP_CLOSED);
	if (carried) {
		emit_notice(&inner, carried, HTTP_CLOSED);
		bpf_map_delete_elem(&http_connections, &inner);
	}
	if (connection->kind == CONNECTION_TLS && !connection->other && connection->offset[0] &&
	    connection->offset[1])
		emit_notice(key, connection, HTTP_TLS_UNSEEN);
	bpf_map_delete_elem(&http_connections, key);
	return 0;
}

/*
 * Call when one end or both have closed the connection: stores the time. The entry stays, because
 * the program may still send a response, and the reset that comes back then ends the connection
 * within the program's call.
 */
static __always_inline int note_end(const struct http_key *key, struct http_connection *connection)
{
	struct http_key inner = {};
	struct http_connection *carried = carried_by(key, connection, &inner);
	__u64 now_ns = bpf_ktime_get_ns();

	if (carried && end_of(carried) >= now_ns)
		carried->ended_ns = now_ns;
	if (end_of(connection) >= now_ns)
		connection->ended_ns = now_ns;
	return 0;
}

SEC("raw_tp/inet_sock_set_state")
int http_state(struct bpf_raw_tracepoint_args *ctx)
{
	struct http_key key = {.object = ctx->args[0]};
	struct http_connection *connection;
	__s32 state = ctx->args[2];
	bool begins = state == STATE_ESTABLISHED || state == STATE_SYN_SENT;

	if (!begins && state != STATE_FIN_WAIT1 && state != STATE_LAST_ACK && state != STATE_CLOSE)
		return 0;
	connection = bpf_map_lookup_elem(&http_connections, &key);
	if (!connection)
		return 0;
	return begins ? http_end(&key, connection) : note_end(&key, connection);
}

SEC("raw_tp/tcp_destroy_sock")
int http_destroy(struct bpf_raw_tracepoint_args *ctx)
{
	struct http_key key = {.object = ctx->args[0]};
	struct http_connection *connection = bpf_map_lookup_elem(&http_connections, &key);

	return connection ? http_end(&key, connection) : 0;
}
