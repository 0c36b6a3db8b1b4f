/*
 * Follows the frames of HTTP/2 connections. A frame is a head of 9 bytes - length (24 bits), type,
 * flags, stream - and its contents. We copy those frames of a call that the frontend needs, one
 * after the other, and submit them. We step over bodies. A call may be of any length, have many
 * pieces or send a file's bytes, and end anywhere in a frame: we always know where the next frame
 * begins.
 */
#pragma once

#include "bpf/lib/claim.bpf.h"
#include "bpf/http/http_emit.bpf.h"

enum {			    /* http_connection.frames */
       FRAMES_REQUESTS = 1, /* the client sends these frames: they began with the preface */
       FRAMES_TAKEN = 2,    /* we copy the current frame */
       FRAMES_LOST = 4,	    /* the start of the next frame is not known any more */
       FRAMES_DATA = 8,	    /* the current frame is DATA */
};

enum {
	FRAME_HEAD = 9,
	WALKS = 3,
	WALK_STEPS = 32, /* a call may have the square of this, in frames and pieces */
	WALK_COPY = 4096,
	WALK_ENDS = 1,
	WALK_IS_LOST = 2,
};

/*
 * A walk over the frames of a call. Its state is in a map, not on the stack, so that the verifier
 * does not track its values. A probe on a TLS library may be preempted by another one on the same
 * CPU, so there are several slots.
 */
struct http_walk {
	__u64 users;	 /* bpf/lib/claim.bpf.h */
	__u64 at, bytes; /* the unread part of the current piece */
	__u64 left;	 /* bytes of the call after this piece */
	__u64 vector, vectors;
	__u64 frame_bytes_left;
	__u64 got, parts;
	struct http_data data_moved;
	__u8 is_taken;
	__u8 is_cut;
	__u8 is_data;
	char head[29];
	struct http_transfer event; /* followed by: */
	char data[HTTP_MOST_BYTES + WALK_COPY];
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WALKS);
	__type(key, __u32);
	__type(value, struct http_walk);
} http_walks SEC(".maps");

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

/*
 * Call when a part of a frame cannot be copied: from then on, we only step over the frames of this
 * call.
 */
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

	if (walk->frame_bytes_left < bytes)
		bytes = walk->frame_bytes_left;
	if (walk->is_taken) {
		if (bytes > WALK_COPY)
			bytes = WALK_COPY;
		walk_copy(walk, bytes);
	}
	if (walk->is_data)
		walk->data_moved.bytes += bytes;
	walk->at += bytes;
	walk->bytes -= bytes;
	walk->frame_bytes_left -= bytes;
	return 0;
}

/*
 * Returns whether this cannot be a frame: the highest bit of a stream's number is 0, and DATA,
 * HEADERS, RST_STREAM and CONTINUATION belong to a stream.
 */
static __always_inline bool is_no_frame(__u32 type, __u32 stream)
{
	const __u32 of_streams = 1 << 0 | 1 << 1 | 1 << 3 | 1 << 9;

	return stream >> 31 || (!stream && type < 32 && (of_streams >> type & 1));
}

static __always_inline int walk_take_head(struct http_walk *walk, const char *head)
{
	__u64 got = walk->got;

	if (walk->is_cut || got >= HTTP_MOST_BYTES) {
		walk_cut(walk);
		return 0;
	}
	__builtin_memcpy(walk->data + (got & (HTTP_MOST_BYTES - 1)), head, FRAME_HEAD);
	walk->got = got + FRAME_HEAD;
	return 0;
}

/*
 * When DATA of another stream begins, adds a pseudo frame with the number of bytes of the last
 * stream that have moved.
 */
static __always_inline void walk_begin_data(struct http_walk *walk, __u32 stream)
{
	__u32 bytes = walk->data_moved.bytes, last = walk->data_moved.stream;
	char head[FRAME_HEAD] = {bytes >> 16,	  bytes >> 8,  bytes,
				 HTTP_DATA_MOVED, bytes >> 24, last >> 24,
				 last >> 16,	  last >> 8,   last};

	if (stream == last)
		return;
	if (bytes)
		walk_take_head(walk, head);
	walk->data_moved.stream = stream;
	walk->data_moved.bytes = 0;
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
	walk->frame_bytes_left = head[0] << 16 | head[1] << 8 | head[2];
	stream = (__u32)head[5] << 24 | head[6] << 16 | head[7] << 8 | head[8];
	if (is_no_frame(head[3], stream))
		return WALK_IS_LOST;
	walk->is_taken = head[3] < 32 && (HTTP_WHOLE_FRAMES >> (head[3] & 31) & 1);
	walk->is_data = !head[3];
	if (walk->is_data)
		walk_begin_data(walk, stream);
	if (walk->is_taken || (walk->is_data && (head[4] & 1)))
		walk_take_head(walk, walk->head);
	return 0;
}

/* Returns non-zero if the walk is over. */
static __always_inline int walk_step(struct http_walk *walk)
{
	if (walk->frame_bytes_left)
		walk_over_contents(walk);
	return walk->frame_bytes_left || !walk->bytes ? 0 : walk_over_head(walk);
}

/* Global functions, so that the verifier checks each of them once. */
__noinline int http_walk_step(__u32 slot)
{
	struct http_walk *walk = bpf_map_lookup_elem(&http_walks, &slot);

	if (!walk)
		return WALK_IS_LOST;
	return walk->bytes ? walk_step(walk) : walk_to_next_piece(walk);
}
__noinline int http_walk_steps(__u32 slot)
{
	for (__u32 i = 0; i < WALK_STEPS; i++) {
		int result = http_walk_step(slot);

		if (result)
			return result;
	}
	return 0;
}
__noinline int http_walk(__u32 slot)
{
	for (__u32 i = 0; i < WALK_STEPS; i++) {
		int result = http_walk_steps(slot);

		if (result)
			return result;
	}
	return WALK_IS_LOST;
}

static __always_inline void lose_frame_boundary(struct http_connection *connection, __u32 direction)
{
	connection->frames[direction & 1] |= FRAMES_LOST;
	http_count_lost(HTTP_ORDER_LOST);
}

static __always_inline void emit_frames(struct http_walk *walk, struct http_event_source *source)
{
	__u64 got = walk->got, flags;

	source->connection->sequence[source->moved->direction & 1]++;
	fill(&walk->event, source);
	fill_comm(&walk->event);
	walk->event.captured = got;
	flags = emit_flags(&http_events, sizeof(walk->event) + got, http_config.wakeup_bytes);
	barrier_var(got); /* as in emit_vector() */
	if (got > sizeof(walk->data))
		return;
	if (bpf_ringbuf_output(&http_events, &walk->event, sizeof(walk->event) + got, flags))
		http_count_lost(HTTP_BUFFER_FULL);
}

/* Walks over the frames of a call, from where the call before it ended. */
static __always_inline int walk_frames(struct http_walk *walk, __u32 slot,
				       const struct http_connection *connection,
				       const struct http_call_data *moved)
{
	__u32 direction = moved->direction & 1;

	walk->at = moved->buffer;
	walk->bytes = moved->vector ? 0 : moved->bytes;
	walk->left = moved->vector ? moved->bytes : 0;
	walk->vector = moved->vector;
	walk->vectors = moved->vectors;
	walk->frame_bytes_left = connection->frame_bytes_left[direction];
	walk->is_taken = !!(connection->frames[direction] & FRAMES_TAKEN);
	walk->is_cut = 0;
	walk->is_data = !!(connection->frames[direction] & FRAMES_DATA);
	__builtin_memcpy(&walk->data_moved, connection->tail[direction], sizeof(walk->data_moved));
	walk->parts = connection->parts[direction];
	__builtin_memcpy(walk->head, &connection->part[direction], sizeof(__u64));
	walk->got = 0;
	return http_walk(slot);
}

static __always_inline int http_take_frames(struct http_event_source *source)
{
	struct http_connection *connection = source->connection;
	const struct http_call_data *moved = source->moved;
	__u32 direction = moved->direction & 1, slot, bytes_missing;
	struct http_walk *walk;
	__u8 frames;
	int result;

	barrier_var(direction);
	direction &=
		1; /* Linux 5.10's verifier forgets the bounds of four-byte values on the stack */
	frames = connection->frames[direction];
	if (frames & FRAMES_LOST)
		return 0;
	if (!(frames & FRAMES_TAKEN) && moved->bytes <= connection->frame_bytes_left[direction]) {
		/* The call moves only a part of a body, whose address we do not need. */
		connection->frame_bytes_left[direction] -= moved->bytes;
		if (frames & FRAMES_DATA)
			*(__u32 *)&connection->tail[direction][4] += moved->bytes;
		return 0;
	}
	walk = moved->buffer || moved->vector ? claim(&http_walks, WALKS, &slot) : NULL;
	if (!walk) {
		lose_frame_boundary(connection, direction);
		return 0;
	}
	bytes_missing = connection->frame_bytes_left[direction];
	result = walk_frames(walk, slot, connection, moved);
	frames = connection->frames[direction];
	source->frame_bytes_missing = frames & FRAMES_TAKEN ? bytes_missing : 0;
	source->flags |= HTTP_FRAMES;
	if (frames & FRAMES_REQUESTS)
		source->flags |= HTTP_REQUESTS;
	if (result == WALK_IS_LOST) {
		source->flags |= HTTP_CUT;
		lose_frame_boundary(connection, direction);
	} else if (walk->is_cut) {
		source->flags |= HTTP_CUT;
		http_count_lost(HTTP_FRAMES_CUT);
	}
	frames = connection->frames[direction] & ~(FRAMES_TAKEN | FRAMES_DATA);
	frames |= walk->is_taken ? FRAMES_TAKEN : 0;
	connection->frames[direction] = frames | (walk->is_data ? FRAMES_DATA : 0);
	__builtin_memcpy(connection->tail[direction], &walk->data_moved, sizeof(walk->data_moved));
	connection->frame_bytes_left[direction] = walk->frame_bytes_left;
	connection->parts[direction] = walk->parts;
	__builtin_memcpy(&connection->part[direction], walk->head, sizeof(__u64));
	if (walk->got || (source->flags & HTTP_CUT))
		emit_frames(walk, source);
	claim_release(walk);
	return 0;
}
