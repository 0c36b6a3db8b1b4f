/*
 * HTTP/2. A frame is a head of 9 bytes - length (24 bits), type, flags, stream - and its contents. The frames of a
 * call that the frontend looks into are put one behind the other and handed over; bodies are only stepped
 * over. Calls of any length, of many pieces, and those that send a file's bytes keep the place where the
 * next frame begins, wherever in a frame they end.
 */
#pragma once

#include "lib/claim.bpf.h"
#include "lib/http_emit.bpf.h"

enum {			    /* http_connection.frames */
       FRAMES_REQUESTS = 1, /* the client's: they began with the preface */
       FRAMES_TAKEN = 2,    /* the contents under way are handed over */
       FRAMES_LOST = 4,	    /* where the next frame begins is not known any more */
       FRAMES_DATA = 8,	    /* the frame under way is DATA */
};

enum {
	FRAME_HEAD = 9,
	WALKS = 3,
	WALK_STEPS = 32, /* their square is how many frames and pieces a call may have */
	WALK_COPY = 4096,
	WALK_ENDS = 1,
	WALK_IS_LOST = 2,
};

/*
 * The frames of a call. Their state is in a map, not on the stack: so the verifier does not follow its values. A
 * program of a TLS library may be preempted by another one on the same processor: there are several places.
 */
struct http_walk {
	__u64 users;	 /* lib/claim.bpf.h */
	__u64 at, bytes; /* of the piece, as far as it is ahead */
	__u64 left;	 /* bytes of the call behind it */
	__u64 vector, vectors;
	__u64 rest; /* of the frame under way */
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
	if (walk->is_data)
		walk->data_moved.bytes += bytes;
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

/* DATA begins of another stream than the last: what that one has moved is handed over. */
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
	walk->rest = head[0] << 16 | head[1] << 8 | head[2];
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
	walk->is_data = !!(connection->frames[direction] & FRAMES_DATA);
	__builtin_memcpy(&walk->data_moved, connection->tail[direction], sizeof(walk->data_moved));
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
		if (frames & FRAMES_DATA)
			*(__u32 *)&connection->tail[direction][4] += moved->bytes;
		return 0;
	}
	walk = moved->buffer || moved->vector ? claim(&http_walks, WALKS, &place) : NULL;
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
	frames = connection->frames[direction] & ~(FRAMES_TAKEN | FRAMES_DATA);
	frames |= walk->is_taken ? FRAMES_TAKEN : 0;
	connection->frames[direction] = frames | (walk->is_data ? FRAMES_DATA : 0);
	__builtin_memcpy(connection->tail[direction], &walk->data_moved, sizeof(walk->data_moved));
	connection->rest[direction] = walk->rest;
	connection->parts[direction] = walk->parts;
	__builtin_memcpy(&connection->part[direction], walk->head, sizeof(__u64));
	if (walk->got || (what->flags & HTTP_CUT))
		emit_frames(walk, what);
	claim_release(walk);
	return 0;
}
