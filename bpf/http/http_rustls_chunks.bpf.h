/* The plaintext that rustls passes on: a slice, or a part of an array of slices. */
#pragma once

#include <bpf/bpf_helpers.h>
#include "bpf/http/http.h"

enum {
	RUSTLS_PARTS = 2,
	RUSTLS_SLICES = 32, /* slices before the one in which a write begins */
};

/* Bytes that a call has passed, in one buffer or in many pieces. */
struct rustls_part {
	__u64 buffer, vector; /* one of the two is set */
	__u32 vectors, bytes; /* bytes: 0 if there is no such part */
};

/*
 * The plaintext of a write (OutboundChunks): a single slice (words: 0, pointer, length), or bytes
 * `begin` to `end` of an array of slices (words: array, number of slices, begin, end). A slice is a
 * pointer and a length, like an iovec.
 */
struct rustls_chunks {
	__u64 array, count, begin, end;
};

/* Moves `begin` into the slice that has that byte. */
static __always_inline bool rustls_skip(struct rustls_chunks *chunks)
{
	for (__u32 i = 0; i < RUSTLS_SLICES; i++) {
		struct iovec slice = {};

		if (!chunks->begin)
			return true;
		if (!chunks->count ||
		    bpf_probe_read_user(&slice, sizeof(slice), (void *)chunks->array))
			return false;
		if (slice.iov_len > chunks->begin)
			return true;
		chunks->begin -= slice.iov_len;
		chunks->end -= slice.iov_len;
		chunks->array += sizeof(slice);
		chunks->count--;
	}
	return false;
}

/*
 * Splits the plaintext: if it begins inside of a slice, the rest of this slice is a part of its
 * own. Returns false if the memory is unreadable.
 */
static __always_inline bool rustls_split(struct rustls_chunks *chunks, struct rustls_part *first,
					 struct rustls_part *second)
{
	struct iovec slice = {};
	__u64 bytes;

	if (!chunks->array) {
		first->buffer = chunks->count;
		first->bytes = chunks->begin;
		return true;
	}
	if (!rustls_skip(chunks))
		return false;
	bytes = chunks->end - chunks->begin;
	if (chunks->begin) {
		if (bpf_probe_read_user(&slice, sizeof(slice), (void *)chunks->array))
			return false;
		first->buffer = (__u64)slice.iov_base + chunks->begin;
		first->bytes = slice.iov_len - chunks->begin;
		if (first->bytes > bytes)
			first->bytes = bytes;
		bytes -= first->bytes;
		chunks->array += sizeof(slice);
		chunks->count--;
	}
	second->vector = chunks->array;
	second->vectors = chunks->count;
	second->bytes = bytes;
	return true;
}
