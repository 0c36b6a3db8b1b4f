/*
 * Builds and submits the event of one call on an HTTP connection: its first bytes, from one buffer
 * or from many pieces, and the connection's state before it (bpf/http/http.bpf.h).
 */
#pragma once

#include <bpf/bpf_core_read.h>
#include "bpf/lib/emit.bpf.h"
#include "bpf/lib/filter.bpf.h"
#include "bpf/http/http.h"

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

#define RELOCATED __attribute__((preserve_access_index))
struct task_struct___http {
	struct task_struct___http *group_leader;
	char comm[16];
} RELOCATED;

enum {
	MOST_PIECES = 64,
	PIECES_BYTES = 8192,
};

/* The bytes that a call moved, and their address in the program's memory. */
struct http_call_data {
	__u64 buffer, vector; /* one of the two is set; both 0: the address is not known */
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

/*
 * Buffers in which we put together the pieces of a call. A program does not run twice at the same
 * time on one CPU, so one for each direction is enough.
 */
struct http_pieces {
	__u64 vector;
	__u64 want, got; /* bytes; for the tail, `want` counts the bytes left */
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
 * Appends the piece `index` of a call's data to pieces->data. Returns non-zero after the last
 * piece. Global, so that the verifier checks it once and not in each iteration of the loop. A piece
 * begins below PIECES_BYTES and is at most HTTP_MOST_BYTES long, so `data` has room for both. (A
 * value of a per-CPU map has at most 32 KB.)
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

struct http_event_source {
	const struct http_key *key;
	struct http_connection *connection;
	const struct http_call_data *moved;
	__u64 offset;  /* of the call's first byte */
	__u64 last_ns; /* when the byte before it moved */
	__u64 want;    /* bytes to capture */
	__u32 frame_bytes_missing;
	__u8 kind;
	__u8 flags;
};

/*
 * Returns when the connection was closed. Returns the current time if it was not, or if bytes have
 * moved since then.
 */
static __always_inline __u64 end_of(const struct http_connection *connection)
{
	__u64 ended_ns = connection->ended_ns;

	if (ended_ns > connection->last_ns[0] && ended_ns > connection->last_ns[1])
		return ended_ns;
	return bpf_ktime_get_ns();
}

static __always_inline void fill(struct http_transfer *event,
				 const struct http_event_source *source)
{
	struct http_connection *connection = source->connection;
	__u8 direction = source->moved->direction & 1;
	__u64 ids = filter_ids();

	event->ts_ns =
		source->kind == HTTP_TRANSFER ? connection->last_ns[direction] : end_of(connection);
	event->begin_ns = source->moved->begin_ns ? source->moved->begin_ns : event->ts_ns;
	event->key = *source->key;
	event->offset[0] = connection->offset[0];
	event->offset[1] = connection->offset[1];
	event->last_ns[0] = connection->last_ns[0];
	event->last_ns[1] = connection->last_ns[1];
	__builtin_memcpy(event->tail, connection->tail, sizeof(event->tail));
	if (source->kind == HTTP_TRANSFER) {
		event->offset[direction] = source->offset;
		event->last_ns[direction] = source->last_ns;
	}
	event->address = connection->address;
	event->tgid = ids >> 32;
	event->tid = ids;
	event->bytes = source->moved->bytes;
	event->captured = 0;
	event->sequence[0] = connection->sequence[0];
	event->sequence[1] = connection->sequence[1];
	event->direction = direction;
	event->kind = source->kind;
	event->flags = source->flags;
	event->pad = 0;
	event->frame_bytes_missing = source->frame_bytes_missing;
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

static __always_inline void emit_buffer(const struct http_event_source *source, const __u64 room)
{
	struct http_transfer *event = HTTP_RESERVE(room);
	__u64 bytes = source->want;

	if (!event) {
		http_count_lost(HTTP_BUFFER_FULL);
		return;
	}
	fill(event, source);
	fill_comm(event);
	if (bytes > room)
		bytes = room;
	barrier_var(bytes);
	if (bytes <= room) {
		if (bpf_probe_read_user(event + 1, bytes, (void *)source->moved->buffer))
			http_count_lost(HTTP_UNREADABLE);
		else
			event->captured = bytes;
	}
	submit(event);
}

static __always_inline void emit_vector(const struct http_event_source *source)
{
	__u32 direction = source->moved->direction & 1;
	struct http_pieces *pieces = bpf_map_lookup_elem(&http_scratch, &direction);
	__u64 got, flags;

	if (!pieces)
		return;
	pieces->vector = source->moved->vector;
	pieces->want = source->want;
	pieces->got = 0;
	for (__u32 i = 0; i < MOST_PIECES; i++) {
		if (i >= source->moved->vectors || http_gather_piece(direction, i))
			break;
	}
	got = pieces->got;
	if (!got)
		http_count_lost(HTTP_UNREADABLE);
	fill(&pieces->event, source);
	fill_comm(&pieces->event);
	pieces->event.captured = got;
	flags = emit_flags(&http_events, sizeof(pieces->event) + got, http_config.wakeup_bytes);
	/* Linux 5.10 forgets what it knows of a number that is on the stack meanwhile. */
	barrier_var(got);
	if (got > sizeof(pieces->data))
		return;
	if (bpf_ringbuf_output(&http_events, &pieces->event, sizeof(pieces->event) + got, flags))
		http_count_lost(HTTP_BUFFER_FULL);
}

static __always_inline void emit(const struct http_event_source *source, const bool may_be_vector)
{
	source->connection->sequence[source->moved->direction & 1]++;
	if (may_be_vector && source->moved->vector) {
		emit_vector(source);
	} else if (source->want <= HTTP_FEW_BYTES) {
		emit_buffer(source, HTTP_FEW_BYTES);
	} else if (source->want <= HTTP_SOME_BYTES) {
		emit_buffer(source, HTTP_SOME_BYTES);
	} else {
		emit_buffer(source, HTTP_MOST_BYTES);
	}
}

/* Submits a record without payload: the connection has ended, or is encrypted. */
static __always_inline void emit_notice(const struct http_key *key,
					struct http_connection *connection, __u8 kind)
{
	struct http_call_data nothing = {};
	struct http_event_source source = {
		.key = key, .connection = connection, .moved = &nothing, .kind = kind};
	struct http_transfer *event = HTTP_RESERVE(0);

	if (!event) {
		http_count_lost(HTTP_BUFFER_FULL);
		return;
	}
	source.frame_bytes_missing = kind == HTTP_TLS_UNSEEN ? connection->other_tgid : 0;
	fill(event, &source);
	if (kind == HTTP_TLS)
		fill_comm(event);
	submit(event);
}

/* Submits how much plaintext a call moved on a connection on trial. */
static __noinline int emit_plaintext(const struct http_key *key, struct http_connection *connection,
				     const struct http_call_data *moved)
{
	struct http_event_source source = {
		.key = key, .connection = connection, .moved = moved, .kind = HTTP_TLS_PLAINTEXT};
	struct http_transfer *event = HTTP_RESERVE(0);

	if (!event) {
		http_count_lost(HTTP_BUFFER_FULL);
		return 0;
	}
	fill(event, &source);
	event->begin_ns = connection->other;
	submit(event);
	return 0;
}

/*
 * Returns the last eight bytes of a stream after `length` bytes before address `end` are appended,
 * or 0 if unreadable.
 */
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

/*
 * Updates pieces->tail with one piece, like with_tail(). Reads only the end of the piece. Returns
 * non-zero after the last piece. Global, so that the verifier checks it once.
 */
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

static __always_inline __u64 tail_of_pieces(__u64 tail, const struct http_call_data *moved)
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

/* Call after emit(): the event carries the tail from before this call. */
static __always_inline void keep_tail(struct http_connection *connection,
				      const struct http_call_data *moved, const bool may_be_vector)
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
