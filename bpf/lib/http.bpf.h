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

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include "lib/http.h"
#include "lib/emit.bpf.h"
#include "lib/filter.bpf.h"

const volatile struct http_config http_config = {};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* --buffer */
} http_events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, HTTP_LOST);
	__type(key, __u32);
	__type(value, __u64);
} http_lost SEC(".maps");

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

#define RELOCATED __attribute__((preserve_access_index))
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
struct task_struct___http {
	struct task_struct___http *group_leader;
	char comm[16];
} RELOCATED;

enum {
	FAMILY_UNIX = 1,
	FAMILY_IPV4 = 2,
	FAMILY_IPV6 = 10,
	TYPE_STREAM = 1,
	CONTINUATIONS = 64,
	LARGE_CONTINUATION = 4096,
	MISSES = 16,
	FRAME_HEAD = 9,
	PREFACE = 24,
	MOST_PIECES = 64,
	PIECES_BYTES = 8192,
	LONGEST_METHOD = 32,
	LONGEST_LINE = 128, /* that is searched for its end */
};

/* Where the bytes of a call are in the program's memory. */
struct http_moved {
	__u64 buffer, vector; /* one of the two; 0: it is not known */
	__u64 begin_ns;
	__u32 vectors;
	__u32 bytes;
	__u8 direction;
	__u8 flags;
};

static __always_inline void http_count_lost(__u32 why)
{
	__u64 *lost = bpf_map_lookup_elem(&http_lost, &why);

	if (lost)
		__sync_fetch_and_add(lost, 1);
}

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

#define WORD(a, b, c, d) ((__u32)(a) | (__u32)(b) << 8 | (__u32)(c) << 16 | (__u32)(d) << 24)

/* Of a call that is shorter than a method: can it be the beginning of one? */
static __always_inline bool begins_request(__u32 word, __u32 bytes)
{
	__u32 mask = ~0ULL >> ((64 - 8 * bytes) & 63);

	return word == (WORD('G', 'E', 'T', ' ') & mask) ||
	       word == (WORD('P', 'O', 'S', 'T') & mask) ||
	       word == (WORD('P', 'U', 'T', ' ') & mask) ||
	       word == (WORD('H', 'E', 'A', 'D') & mask) ||
	       word == (WORD('D', 'E', 'L', 'E') & mask) ||
	       word == (WORD('O', 'P', 'T', 'I') & mask) ||
	       word == (WORD('P', 'A', 'T', 'C') & mask) ||
	       word == (WORD('C', 'O', 'N', 'N') & mask) ||
	       word == (WORD('T', 'R', 'A', 'C') & mask);
}

static __always_inline bool is_letter(__u8 c)
{
	return (__u8)((c | 0x20) - 'a') < 26;
}

/* Where in eight bytes this one is first; 8: nowhere. Without branches, of which the verifier would look at each. */
static __always_inline __u32 place_of(__u64 word, __u8 c)
{
	const __u64 ones = 0x0101010101010101;
	__u64 found;

	word ^= ones * c;
	found = (word - ones) & ~word & (ones << 7);
	found = (found & -found) - 1; /* all bits below it */
	return ((found & ones) * ones >> 56) - 1 + (found >> 63);
}

static __always_inline bool is_version_at(__u64 place)
{
	__u64 word = 0;

	return !bpf_probe_read_user(&word, sizeof(word), (void *)place) &&
	       (word & 0xffffffffffffff) == 0x2e312f50545448; /* "HTTP/1." */
}

/* The place of a byte among the first `most`, a multiple of eight; ~0: it is not there. Without branches, too. */
static __always_inline __u64 search(__u64 buffer, __u8 c, const __u32 most)
{
	__u64 found = 0, open = ~0ULL;

	for (__u32 at = 0; at < most; at += sizeof(__u64)) {
		__u64 word = 0, place, here;

		bpf_probe_read_user(&word, sizeof(word), (void *)(buffer + at));
		place = place_of(word, c);
		here = open & ((place >> 3) - 1);
		found |= here & (at + place);
		open &= ~here;
		barrier_var(open);
	}
	return found | open;
}

/*
 * Is this a request line, of whatever method: a word, a target that begins as they do, HTTP/1 at the end? Of a line whose
 * end is not there it is enough that it begins so.
 */
static __always_inline bool is_request_line(__u64 buffer, __u64 bytes)
{
	__u64 space = search(buffer, ' ', LONGEST_METHOD), end;
	__u8 target = 0;

	if (space >= bytes || bpf_probe_read_user(&target, 1, (void *)(buffer + space + 1)))
		return 0;
	if (target != '/' && target != '*' && target != 'h')
		return 0;
	end = search(buffer, '\n', LONGEST_LINE);
	return end >= bytes || is_version_at(buffer + end - 9) || is_version_at(buffer + end - 8);
}

/* A record of TLS: its type, the version's first byte. */
static __always_inline bool begins_tls(__u64 bytes)
{
	return (bytes & 0xff) >= 0x14 && (bytes & 0xff) <= 0x17 && (bytes >> 8 & 0xff) == 3;
}
/* One with a greeting: where something else was before, as behind a proxy's answer to CONNECT. */
static __always_inline bool begins_tls_greeting(__u64 bytes)
{
	return (bytes & 0xff) == 0x16 && (bytes >> 8 & 0xff) == 3 && (bytes >> 40 & 0xff) <= 2;
}

/* The first piece of what has moved, and its first bytes: 8, or all there are. */
struct http_first {
	__u64 at, length;
	__u64 word;
	__u32 bytes;
};

/* Up to three of them may be before a request. */
static __always_inline __u64 bytes_of_empty_lines(__u64 word)
{
	const __u64 ones = 0x0101010101010101;
	__u64 others = word ^ 0x0a0d0a0d0a0d0a0d;
	__u64 below = (others & -others) - 1; /* the first other byte's lowest bit */

	return ((below >> 7 & ones) * ones >> 56) & 6;
}

static __always_inline void read_first(struct http_first *first, __u64 vector, __u32 vectors)
{
	__u64 bytes, empty;

	if (vector) {
		struct iovec piece = {};

		for (__u32 i = 0; i < 4; i++) {
			if (i >= vectors ||
			    bpf_probe_read_user(&piece, sizeof(piece),
						(void *)(vector + i * sizeof(piece))))
				break;
			if (piece.iov_len)
				break;
		}
		first->at = (__u64)piece.iov_base;
		if (piece.iov_len < first->length)
			first->length = piece.iov_len;
	}
	bytes = first->length < 8 ? first->length : 8;
	barrier_var(bytes);
	if (!bytes || bytes > 8 || bpf_probe_read_user(&first->word, bytes, (void *)first->at))
		return;
	empty = bytes_of_empty_lines(first->word);
	first->word >>= 8 * empty;
	first->bytes = bytes - empty;
	first->at += empty;
	first->length -= empty;
}

enum { /* what the first bytes of a call look like */
       LOOKS_OTHERWISE,
       LOOKS_LIKE_REQUEST,
       LOOKS_LIKE_RESPONSE,
       LOOKS_LIKE_PREFACE,
       LOOKS_LIKE_TLS,
       LOOKS_LIKE_TLS_GREETING,
};

/*
 * What begins like one of the usual methods is taken for a request, and what is one by its whole line. Of a connection
 * that is known, a single letter may be a method's beginning: Go's servers wait for the next request with one
 * byte. A function of its own, behind which the verifier knows no more than the result.
 */
__noinline int http_look(__u64 buffer, __u64 vector, __u32 vectors, __u64 length, bool is_http)
{
	struct http_first first = {.at = buffer, .length = length};

	read_first(&first, vector, vectors);
	if (!first.bytes)
		return LOOKS_OTHERWISE;
	if (!is_letter(first.word)) {
		if (first.bytes < 2 || !begins_tls(first.word))
			return LOOKS_OTHERWISE;
		return begins_tls_greeting(first.word) ? LOOKS_LIKE_TLS_GREETING : LOOKS_LIKE_TLS;
	}
	if (first.bytes == 8 && (__u32)first.word == WORD('P', 'R', 'I', ' '))
		return LOOKS_LIKE_PREFACE;
	if (first.bytes >= 4 && (__u32)first.word == WORD('H', 'T', 'T', 'P'))
		return LOOKS_LIKE_RESPONSE;
	if (begins_request(first.word, first.bytes))
		return LOOKS_LIKE_REQUEST;
	if (first.bytes < 4 ? is_http && first.length < 4 : is_request_line(first.at, first.length))
		return LOOKS_LIKE_REQUEST;
	return LOOKS_OTHERWISE;
}

/* Which of eight bytes are newlines: a bit each. */
static __always_inline __u64 newlines_of(__u64 word)
{
	const __u64 low = 0x7f7f7f7f7f7f7f7f;

	word ^= 0x0a0a0a0a0a0a0a0a;
	word = ~(((word & low) + low) | word | low); /* the high bits of the bytes that are 0 */
	return ((word >> 7) * 0x0102040810204080) >> 56;
}

/*
 * Does a head end among the first HTTP_SOME_BYTES of its first piece? An empty line: a newline that follows another one, with no
 * more than one byte between.
 */
__noinline int http_head_ends(__u64 buffer, __u64 vector, __u32 vectors, __u64 length)
{
	struct http_first first = {.at = buffer, .length = length};
	__u64 words[8], before = 0;

	read_first(&first, vector, vectors);
	for (__u32 at = 0; at < HTTP_SOME_BYTES; at += sizeof(words)) {
		__u64 here = 0, left = first.length - at;

		if (at >= first.length ||
		    bpf_probe_read_user(words, sizeof(words), (void *)(first.at + at)))
			return 0;
		for (__u32 i = 0; i < 8; i++)
			here |= newlines_of(words[i]) << 8 * i;
		if (left < 64)
			here &= (1ULL << left) - 1;
		if (here & (here << 1 | before >> 63 | here << 2 | before >> 62))
			return 1;
		before = here;
	}
	return 0;
}

/*
 * Where the pieces of a call are put together. A program does not run twice at the same time on one
 * processor, so that each direction has its own.
 */
struct http_pieces {
	__u64 vector;
	__u64 want, got; /* of bytes; for the tail, which are left */
	__u64 tail;
	struct http_transfer event; /* followed by: */
	char data[PIECES_BYTES + HTTP_MOST_BYTES];
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, HTTP_DIRECTIONS);
	__type(key, __u32);
	__type(value, struct http_pieces);
} http_scratch SEC(".maps");

/*
 * Copies one piece behind those that are there. Not 0: no more are wanted. A global function, which the
 * verifier looks at once and not in each turn of the loop. A piece begins below PIECES_BYTES, and is no
 * longer than HTTP_MOST_BYTES: that is how much room there is. (A value has 32 KB at most.)
 */
__noinline int http_gather_piece(__u32 direction, __u32 index)
{
	struct http_pieces *pieces = bpf_map_lookup_elem(&http_scratch, &direction);
	struct iovec piece = {};
	__u64 got, bytes;

	if (!pieces)
		return 1;
	got = pieces->got;
	if (got >= pieces->want || got >= PIECES_BYTES)
		return 1;
	if (bpf_probe_read_user(&piece, sizeof(piece),
				(void *)(pieces->vector + index * sizeof(piece))))
		return 1;
	bytes = pieces->want - got;
	if (piece.iov_len < bytes)
		bytes = piece.iov_len;
	barrier_var(bytes);
	if (bytes > HTTP_MOST_BYTES)
		return 1;
	if (bpf_probe_read_user(pieces->data + (got & (PIECES_BYTES - 1)), bytes, piece.iov_base))
		return 1;
	pieces->got = got + bytes;
	return 0;
}

struct http_what {
	const struct http_key *key;
	struct http_connection *connection;
	const struct http_moved *moved;
	__u64 offset;  /* of the call's first byte */
	__u64 last_ns; /* before it */
	__u64 want;
	__u32 rest;
	__u8 kind;
	__u8 flags;
};

/* When it was closed, unless bytes have moved since: then it is now. */
static __always_inline __u64 end_of(const struct http_connection *connection)
{
	__u64 ended_ns = connection->ended_ns;

	if (ended_ns > connection->last_ns[0] && ended_ns > connection->last_ns[1])
		return ended_ns;
	return bpf_ktime_get_ns();
}

static __always_inline void fill(struct http_transfer *event, const struct http_what *what)
{
	struct http_connection *connection = what->connection;
	__u8 direction = what->moved->direction & 1;
	__u64 ids = filter_ids();

	event->ts_ns =
		what->kind == HTTP_TRANSFER ? connection->last_ns[direction] : end_of(connection);
	event->begin_ns = what->moved->begin_ns ? what->moved->begin_ns : event->ts_ns;
	event->key = *what->key;
	event->offset[0] = connection->offset[0];
	event->offset[1] = connection->offset[1];
	event->last_ns[0] = connection->last_ns[0];
	event->last_ns[1] = connection->last_ns[1];
	__builtin_memcpy(event->tail, connection->tail, sizeof(event->tail));
	if (what->kind == HTTP_TRANSFER) {
		event->offset[direction] = what->offset;
		event->last_ns[direction] = what->last_ns;
	}
	event->address = connection->address;
	event->tgid = ids >> 32;
	event->tid = ids;
	event->bytes = what->moved->bytes;
	event->captured = 0;
	event->sequence[0] = connection->sequence[0];
	event->sequence[1] = connection->sequence[1];
	event->direction = direction;
	event->kind = what->kind;
	event->flags = what->flags;
	event->pad = 0;
	event->rest = what->rest;
	event->comm[0] = 0;
}

static __always_inline void fill_comm(struct http_transfer *event)
{
	struct task_struct___http *task = (void *)bpf_get_current_task();

	BPF_CORE_READ_INTO(&event->comm, task, group_leader, comm);
}

#define HTTP_RESERVE(room)                                                                         \
	bpf_ringbuf_reserve(&http_events, sizeof(struct http_transfer) + (room), 0)

static __always_inline void submit(struct http_transfer *event)
{
	emit_submit(&http_events, event, http_config.wakeup_bytes);
}

static __always_inline void emit_buffer(const struct http_what *what, const __u64 room)
{
	struct http_transfer *event = HTTP_RESERVE(room);
	__u64 bytes = what->want;

	if (!event) {
		http_count_lost(HTTP_BUFFER_FULL);
		return;
	}
	fill(event, what);
	fill_comm(event);
	if (bytes > room)
		bytes = room;
	barrier_var(bytes);
	if (bytes <= room) {
		if (bpf_probe_read_user(event + 1, bytes, (void *)what->moved->buffer))
			http_count_lost(HTTP_UNREADABLE);
		else
			event->captured = bytes;
	}
	submit(event);
}

static __always_inline void emit_vector(const struct http_what *what)
{
	__u32 direction = what->moved->direction & 1;
	struct http_pieces *pieces = bpf_map_lookup_elem(&http_scratch, &direction);
	__u64 got;

	if (!pieces)
		return;
	pieces->vector = what->moved->vector;
	pieces->want = what->want;
	pieces->got = 0;
	for (__u32 i = 0; i < MOST_PIECES; i++) {
		if (i >= what->moved->vectors || http_gather_piece(direction, i))
			break;
	}
	got = pieces->got;
	if (!got)
		http_count_lost(HTTP_UNREADABLE);
	fill(&pieces->event, what);
	fill_comm(&pieces->event);
	barrier_var(got);
	if (got > sizeof(pieces->data))
		return;
	pieces->event.captured = got;
	if (emit_output(&http_events, &pieces->event, sizeof(pieces->event) + got,
			http_config.wakeup_bytes))
		http_count_lost(HTTP_BUFFER_FULL);
}

static __always_inline void emit(const struct http_what *what, const bool may_be_vector)
{
	what->connection->sequence[what->moved->direction & 1]++;
	if (may_be_vector && what->moved->vector) {
		emit_vector(what);
	} else if (what->want <= HTTP_FEW_BYTES) {
		emit_buffer(what, HTTP_FEW_BYTES);
	} else if (what->want <= HTTP_SOME_BYTES) {
		emit_buffer(what, HTTP_SOME_BYTES);
	} else {
		emit_buffer(what, HTTP_MOST_BYTES);
	}
}

/* Says that a connection has ended, or what it is. */
static __always_inline void emit_notice(const struct http_key *key,
					struct http_connection *connection, __u8 kind)
{
	struct http_moved nothing = {};
	struct http_what what = {
		.key = key, .connection = connection, .moved = &nothing, .kind = kind};
	struct http_transfer *event = HTTP_RESERVE(0);

	if (!event) {
		http_count_lost(HTTP_BUFFER_FULL);
		return;
	}
	fill(event, &what);
	if (kind != HTTP_CLOSED)
		fill_comm(event);
	submit(event);
}

/* The last eight bytes of a stream to which these, before `end`, are added; 0: they cannot be read. */
static __always_inline __u64 with_tail(__u64 tail, __u64 end, __u64 length)
{
	__u64 added = 0, bytes = length < sizeof(added) ? length : sizeof(added);

	barrier_var(bytes);
	if (!bytes || bytes > sizeof(added))
		return tail;
	if (bpf_probe_read_user(&added, bytes, (void *)(end - bytes)))
		return 0;
	if (bytes == sizeof(added))
		return added;
	return tail >> (8 * bytes & 63) | added << (64 - 8 * bytes & 63);
}

/* The same of one piece; only the last ones are read. Not 0: it was the last. A global function, as above. */
__noinline int http_tail_of_piece(__u32 direction, __u32 index)
{
	struct http_pieces *pieces = bpf_map_lookup_elem(&http_scratch, &direction);
	struct iovec piece = {};
	__u64 length;

	if (!pieces || !pieces->want)
		return 1;
	if (bpf_probe_read_user(&piece, sizeof(piece),
				(void *)(pieces->vector + index * sizeof(piece))))
		return 1;
	length = piece.iov_len < pieces->want ? piece.iov_len : pieces->want;
	pieces->want -= length;
	if (pieces->want < sizeof(pieces->tail))
		pieces->tail = with_tail(pieces->tail, (__u64)piece.iov_base + length, length);
	return 0;
}

static __always_inline __u64 tail_of_pieces(__u64 tail, const struct http_moved *moved)
{
	__u32 direction = moved->direction & 1;
	struct http_pieces *pieces = bpf_map_lookup_elem(&http_scratch, &direction);

	if (!pieces)
		return 0;
	pieces->vector = moved->vector;
	pieces->want = moved->bytes;
	pieces->tail = tail;
	for (__u32 i = 0; i < MOST_PIECES; i++) {
		if (i >= moved->vectors || http_tail_of_piece(direction, i))
			break;
	}
	return pieces->want ? 0 : pieces->tail;
}

/* Behind emit(), as an event has what was before. */
static __always_inline void keep_tail(struct http_connection *connection,
				      const struct http_moved *moved, const bool may_be_vector)
{
	__u8 direction = moved->direction & 1;
	__u64 tail = 0;

	__builtin_memcpy(&tail, connection->tail[direction], sizeof(tail));
	if (may_be_vector && moved->vector)
		tail = tail_of_pieces(tail, moved);
	else if (moved->buffer)
		tail = with_tail(tail, moved->buffer + moved->bytes, moved->bytes);
	else
		tail = 0;
	__builtin_memcpy(connection->tail[direction], &tail, sizeof(tail));
}

/*
 * HTTP/2. A frame is a head of 9 bytes - length (24 bits), type, flags, stream - and its contents. The frames of a
 * call that the frontend looks into are put one behind the other and handed over; bodies are only stepped
 * over. Calls of any length, of many pieces, and those that send a file's bytes keep the place where the
 * next frame begins, wherever in a frame they end.
 */
enum {			    /* http_connection.frames */
       FRAMES_REQUESTS = 1, /* the client's: they began with the preface */
       FRAMES_TAKEN = 2,    /* the contents under way are handed over */
       FRAMES_LOST = 4,	    /* where the next frame begins is not known any more */
};

enum {
	WALKS = 3,
	WALK_STEPS = 32, /* their square is how many frames and pieces a call may have */
	WALK_COPY = 4096,
	WALK_ENDS = 1,
	WALK_IS_LOST = 2,
};

/*
 * The frames of a call. Their state is in a map, not on the stack: so the verifier does not follow its values. A
 * program of a TLS library may be preempted by another one on the same processor: there are several
 * places, which are claimed with plain atomic additions, as Linux 5.10 has no other.
 */
struct http_walk {
	__u64 users;
	__u64 at, bytes; /* of the piece, as far as it is ahead */
	__u64 left;	 /* bytes of the call behind it */
	__u64 vector, vectors;
	__u64 rest; /* of the frame under way */
	__u64 got, parts;
	__u8 is_taken;
	__u8 is_cut;
	char head[22];
	struct http_transfer event; /* followed by: */
	char data[HTTP_MOST_BYTES + WALK_COPY];
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WALKS);
	__type(key, __u32);
	__type(value, struct http_walk);
} http_walks SEC(".maps");

static __always_inline void walk_release(struct http_walk *walk)
{
	__sync_fetch_and_add(&walk->users, -1);
}

/* One that nobody has; `place` is its own from now on. */
static __always_inline struct http_walk *walk_claim(__u32 *place)
{
	for (__u32 i = 0; i < WALKS; i++) {
		struct http_walk *walk;

		*place = i;
		walk = bpf_map_lookup_elem(&http_walks, place);
		if (!walk)
			break;
		__sync_fetch_and_add(&walk->users, 1);
		if (*(volatile __u64 *)&walk->users == 1)
			return walk;
		walk_release(walk);
	}
	return NULL;
}

static __always_inline int walk_to_next_piece(struct http_walk *walk)
{
	struct iovec piece = {};

	if (!walk->left)
		return WALK_ENDS;
	if (!walk->vectors || bpf_probe_read_user(&piece, sizeof(piece), (void *)walk->vector))
		return WALK_IS_LOST;
	walk->vectors--;
	walk->vector += sizeof(piece);
	walk->at = (__u64)piece.iov_base;
	walk->bytes = piece.iov_len < walk->left ? piece.iov_len : walk->left;
	walk->left -= walk->bytes;
	return 0;
}

/* What is missing once is not made good: the rest of the call is only stepped over. */
static __always_inline void walk_cut(struct http_walk *walk)
{
	walk->is_cut = 1;
	walk->is_taken = 0;
}

static __always_inline int walk_copy(struct http_walk *walk, __u64 bytes)
{
	__u64 got = walk->got;

	barrier_var(bytes);
	if (bytes > WALK_COPY || got >= HTTP_MOST_BYTES ||
	    bpf_probe_read_user(walk->data + (got & (HTTP_MOST_BYTES - 1)), bytes,
				(void *)walk->at))
		walk_cut(walk);
	else
		walk->got = got + bytes;
	return 0;
}

static __always_inline int walk_over_contents(struct http_walk *walk)
{
	__u64 bytes = walk->bytes;

	if (walk->rest < bytes)
		bytes = walk->rest;
	if (walk->is_taken) {
		if (bytes > WALK_COPY)
			bytes = WALK_COPY;
		walk_copy(walk, bytes);
	}
	walk->at += bytes;
	walk->bytes -= bytes;
	walk->rest -= bytes;
	return 0;
}

/* Of DATA, HEADERS, RST_STREAM, CONTINUATION, which belong to a stream. */
static __always_inline bool is_no_frame(__u32 type, __u32 stream)
{
	const __u32 of_streams = 1 << 0 | 1 << 1 | 1 << 3 | 1 << 9;

	return stream >> 31 || (!stream && type < 32 && (of_streams >> type & 1));
}

static __always_inline int walk_take_head(struct http_walk *walk)
{
	__u64 got = walk->got;

	if (walk->is_cut || got >= HTTP_MOST_BYTES) {
		walk_cut(walk);
		return 0;
	}
	__builtin_memcpy(walk->data + (got & (HTTP_MOST_BYTES - 1)), walk->head, FRAME_HEAD);
	walk->got = got + FRAME_HEAD;
	return 0;
}

static __always_inline int walk_over_head(struct http_walk *walk)
{
	__u64 parts = walk->parts & 15, bytes = FRAME_HEAD - parts;
	__u8 *head = (void *)walk->head;
	__u32 stream;

	if (bytes > walk->bytes)
		bytes = walk->bytes;
	barrier_var(bytes);
	barrier_var(parts);
	if (parts >= FRAME_HEAD || bytes > FRAME_HEAD ||
	    bpf_probe_read_user(walk->head + parts, bytes, (void *)walk->at))
		return WALK_IS_LOST;
	walk->at += bytes;
	walk->bytes -= bytes;
	walk->parts = parts + bytes;
	if (walk->parts < FRAME_HEAD)
		return 0;
	walk->parts = 0;
	walk->rest = head[0] << 16 | head[1] << 8 | head[2];
	stream = (__u32)head[5] << 24 | head[6] << 16 | head[7] << 8 | head[8];
	if (is_no_frame(head[3], stream))
		return WALK_IS_LOST;
	walk->is_taken = head[3] < 32 && (HTTP_WHOLE_FRAMES >> (head[3] & 31) & 1);
	if (walk->is_taken || (!head[3] && (head[4] & 1)))
		walk_take_head(walk);
	return 0;
}

/* Not 0: the walk is over. */
static __always_inline int walk_step(struct http_walk *walk)
{
	if (walk->rest)
		walk_over_contents(walk);
	return walk->rest || !walk->bytes ? 0 : walk_over_head(walk);
}

/* Global functions, each of which the verifier looks at once. */
__noinline int http_walk_step(__u32 place)
{
	struct http_walk *walk = bpf_map_lookup_elem(&http_walks, &place);

	if (!walk)
		return WALK_IS_LOST;
	return walk->bytes ? walk_step(walk) : walk_to_next_piece(walk);
}
__noinline int http_walk_steps(__u32 place)
{
	for (__u32 i = 0; i < WALK_STEPS; i++) {
		int result = http_walk_step(place);

		if (result)
			return result;
	}
	return 0;
}
__noinline int http_walk(__u32 place)
{
	for (__u32 i = 0; i < WALK_STEPS; i++) {
		int result = http_walk_steps(place);

		if (result)
			return result;
	}
	return WALK_IS_LOST;
}

static __always_inline void lose_place(struct http_connection *connection, __u32 direction)
{
	connection->frames[direction & 1] |= FRAMES_LOST;
	http_count_lost(HTTP_PLACE_LOST);
}

static __always_inline void emit_frames(struct http_walk *walk, struct http_what *what)
{
	__u64 got = walk->got;

	what->connection->sequence[what->moved->direction & 1]++;
	fill(&walk->event, what);
	fill_comm(&walk->event);
	barrier_var(got);
	if (got > sizeof(walk->data))
		return;
	walk->event.captured = got;
	if (emit_output(&http_events, &walk->event, sizeof(walk->event) + got,
			http_config.wakeup_bytes))
		http_count_lost(HTTP_BUFFER_FULL);
}

/* Begins where the call before it has ended. */
static __always_inline int walk_frames(struct http_walk *walk, __u32 place,
				       const struct http_connection *connection,
				       const struct http_moved *moved)
{
	__u32 direction = moved->direction & 1;

	walk->at = moved->buffer;
	walk->bytes = moved->vector ? 0 : moved->bytes;
	walk->left = moved->vector ? moved->bytes : 0;
	walk->vector = moved->vector;
	walk->vectors = moved->vectors;
	walk->rest = connection->rest[direction];
	walk->is_taken = !!(connection->frames[direction] & FRAMES_TAKEN);
	walk->is_cut = 0;
	walk->parts = connection->parts[direction];
	__builtin_memcpy(walk->head, &connection->part[direction], sizeof(__u64));
	walk->got = 0;
	return http_walk(place);
}

static __always_inline int http_take_frames(struct http_what *what)
{
	struct http_connection *connection = what->connection;
	const struct http_moved *moved = what->moved;
	__u32 direction = moved->direction & 1, place, rest;
	struct http_walk *walk;
	__u8 frames;
	int result;

	barrier_var(direction);
	direction &= 1; /* Linux 5.10 forgets the bounds of what four bytes of the stack hold */
	frames = connection->frames[direction];
	if (frames & FRAMES_LOST)
		return 0;
	if (!(frames & FRAMES_TAKEN) && moved->bytes <= connection->rest[direction]) {
		connection->rest[direction] -=
			moved->bytes; /* nothing but a body, wherever it is */
		return 0;
	}
	walk = moved->buffer || moved->vector ? walk_claim(&place) : NULL;
	if (!walk) {
		lose_place(connection, direction);
		return 0;
	}
	rest = connection->rest[direction];
	result = walk_frames(walk, place, connection, moved);
	frames = connection->frames[direction];
	what->rest = frames & FRAMES_TAKEN ? rest : 0;
	what->flags |= HTTP_FRAMES;
	if (frames & FRAMES_REQUESTS)
		what->flags |= HTTP_REQUESTS;
	if (result == WALK_IS_LOST) {
		what->flags |= HTTP_CUT;
		lose_place(connection, direction);
	} else if (walk->is_cut) {
		what->flags |= HTTP_CUT;
		http_count_lost(HTTP_FRAMES_CUT);
	}
	frames = connection->frames[direction] & ~FRAMES_TAKEN;
	connection->frames[direction] = walk->is_taken ? frames | FRAMES_TAKEN : frames;
	connection->rest[direction] = walk->rest;
	connection->parts[direction] = walk->parts;
	__builtin_memcpy(&connection->part[direction], walk->head, sizeof(__u64));
	if (walk->got || (what->flags & HTTP_CUT))
		emit_frames(walk, what);
	walk_release(walk);
	return 0;
}

/* What one call has moved, of a connection that may be HTTP's. `may_be_vector`: a constant. */
static __always_inline int http_transfer(const struct http_key *key,
					 struct http_connection *connection,
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
	if (connection->kind == CONNECTION_NEW && connection->misses >= MISSES &&
	    (connection->misses++ & (MISSES - 1))) {
		if (!connection->misses)
			connection->misses = MISSES;
		return 0;
	}
	if (connection->kind == CONNECTION_TLS)
		return 0;
	if (connection->kind == CONNECTION_NEW)
		connection->last_ns[direction] = bpf_ktime_get_ns();

	if (connection->kind != CONNECTION_HTTP2 && (moved->buffer || moved->vector))
		look = http_look(moved->buffer, moved->vector, moved->vectors, moved->bytes,
				 connection->kind == CONNECTION_HTTP1);
	if (look == LOOKS_LIKE_PREFACE) {
		connection->kind = CONNECTION_HTTP2;
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
				      !http_head_ends(moved->buffer, moved->vector, moved->vectors,
						      moved->bytes)
			      ? HTTP_MOST_BYTES
			      : HTTP_SOME_BYTES;
	} else if (look == LOOKS_LIKE_REQUEST) {
		connection->kind = CONNECTION_HTTP1;
		connection->left[direction] = CONTINUATIONS;
		cap = HTTP_MOST_BYTES;
	} else if (!key->tgid && (look == LOOKS_LIKE_TLS_GREETING ||
				  (look == LOOKS_LIKE_TLS && connection->kind == CONNECTION_NEW))) {
		connection->kind = CONNECTION_TLS;
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
