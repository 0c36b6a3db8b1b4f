/*
 * Guesses from the first bytes of a call what it contains: a request, a response, HTTP/2's preface,
 * a TLS record (bpf/http/http.bpf.h).
 */
#pragma once

#include "bpf/http/http.h"

enum {
	LONGEST_METHOD = 32,
	LONGEST_LINE = 128,    /* bytes in which we search for a line's end */
	LONGEST_UPGRADE = 512, /* bytes of a head in which we search for "h2c" */
};

#define WORD(a, b, c, d) ((__u32)(a) | (__u32)(b) << 8 | (__u32)(c) << 16 | (__u32)(d) << 24)

/* Returns whether `word` begins one of the usual methods; `bytes` may be fewer than a method's. */
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

/*
 * Returns the index of the first byte `c` in a word, or 8. Without branches, because the verifier
 * checks each of them.
 */
static __always_inline __u32 index_of(__u64 word, __u8 c)
{
	const __u64 ones = 0x0101010101010101;
	__u64 found;

	word ^= ones * c;
	found = (word - ones) & ~word & (ones << 7);
	found = (found & -found) - 1; /* all bits below it */
	return ((found & ones) * ones >> 56) - 1 + (found >> 63);
}

static __always_inline bool is_version_at(__u64 address)
{
	__u64 word = 0;

	return !bpf_probe_read_user(&word, sizeof(word), (void *)address) &&
	       (word & 0xffffffffffffff) == 0x2e312f50545448; /* "HTTP/1." */
}

/*
 * Returns the index of the first byte `c` among the first `most`, a multiple of eight, or ~0.
 * Without branches.
 */
static __always_inline __u64 search(__u64 buffer, __u8 c, const __u32 max)
{
	__u64 found = 0, open = ~0ULL;

	for (__u32 at = 0; at < max; at += sizeof(__u64)) {
		__u64 word = 0, index, here;

		bpf_probe_read_user(&word, sizeof(word), (void *)(buffer + at));
		index = index_of(word, c);
		here = open & ((index >> 3) - 1);
		found |= here & (at + index);
		open &= ~here;
		barrier_var(open);
	}
	return found | open;
}

/*
 * Returns whether this is a request line, with any method: a word, the first character of a target,
 * and HTTP/1 at the end. If the line does not end in these bytes, we check only its beginning.
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

/* Returns whether a TLS record may begin here: with its type and the first byte of the version. */
static __always_inline bool begins_tls(__u64 bytes)
{
	return (bytes & 0xff) >= 0x14 && (bytes & 0xff) <= 0x17 && (bytes >> 8 & 0xff) == 3;
}
/*
 * Returns whether a TLS record with a ClientHello or ServerHello begins here. Then TLS begins, even
 * if other bytes have moved before, as after a proxy's response to CONNECT.
 */
static __always_inline bool begins_tls_greeting(__u64 bytes)
{
	return (bytes & 0xff) == 0x16 && (bytes >> 8 & 0xff) == 3 && (bytes >> 40 & 0xff) <= 2;
}

/* The first piece of a call's data, and its first bytes: 8, or all if there are fewer. */
struct http_first {
	__u64 at, length;
	__u64 word;
	__u32 bytes;
	__u32 skipped; /* bytes of empty lines before it */
};

/* Returns the bytes of empty lines at the start of a word: up to three may precede a request. */
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
	first->skipped = empty;
	first->at += empty;
	first->length -= empty;
}

enum { /* what the first bytes of a call look like */
       LOOKS_OTHERWISE,
       LOOKS_LIKE_REQUEST,
       LOOKS_LIKE_RESPONSE,
       LOOKS_LIKE_UPGRADE, /* a response: 101 Switching Protocols */
       LOOKS_LIKE_PREFACE,
       LOOKS_LIKE_TLS,
       LOOKS_LIKE_TLS_GREETING,
};

static __always_inline bool is_upgrade(const struct http_first *first)
{
	const __u32 status_at = 8; /* after "HTTP/1.1" */
	__u32 status = 0;

	return first->length >= status_at + sizeof(status) &&
	       !bpf_probe_read_user(&status, sizeof(status), (void *)(first->at + status_at)) &&
	       status == WORD(' ', '1', '0', '1');
}

/*
 * A request begins like one of the usual methods, or its whole line looks like one. On a connection
 * that is known to be HTTP, a single letter may be the beginning of a method: Go's servers wait for
 * the next request by reading one byte. Global, so that the verifier checks it once and tracks only
 * the result.
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
	if (first.bytes == 8 && (__u32)first.word == WORD('P', 'R', 'I', ' ') &&
	    first.word >> 32 == WORD('*', ' ', 'H', 'T'))
		return LOOKS_LIKE_PREFACE;
	if (first.bytes >= 4 && (__u32)first.word == WORD('H', 'T', 'T', 'P'))
		return is_upgrade(&first) ? LOOKS_LIKE_UPGRADE : LOOKS_LIKE_RESPONSE;
	if (begins_request(first.word, first.bytes))
		return LOOKS_LIKE_REQUEST;
	if (first.bytes < 4 ? is_http && first.length < 4 : is_request_line(first.at, first.length))
		return LOOKS_LIKE_REQUEST;
	return LOOKS_OTHERWISE;
}

/* Returns a bit for each of eight bytes: 1 for a newline. */
static __always_inline __u64 newlines_of(__u64 word)
{
	const __u64 low = 0x7f7f7f7f7f7f7f7f;

	word ^= 0x0a0a0a0a0a0a0a0a;
	word = ~(((word & low) + low) | word | low); /* the high bits of the bytes that are 0 */
	return ((word >> 7) * 0x0102040810204080) >> 56;
}

static __always_inline __u32 bits_of(__u64 word)
{
	const __u64 twos = 0x3333333333333333, fours = 0x0f0f0f0f0f0f0f0f;

	word -= word >> 1 & 0x5555555555555555;
	word = (word & twos) + (word >> 2 & twos);
	return ((word + (word >> 4)) & fours) * 0x0101010101010101 >> 56;
}

/*
 * Returns the length of a head that ends within the first HTTP_SOME_BYTES of its first piece, or 0.
 * A head ends with an empty line: a newline that follows another one, with at most one byte
 * between.
 */
__noinline int http_head_length(__u64 buffer, __u64 vector, __u32 vectors, __u64 length)
{
	struct http_first first = {.at = buffer, .length = length};
	__u64 words[8] = {}, before = 0;

	read_first(&first, vector, vectors);
	for (__u32 at = 0; at < HTTP_SOME_BYTES; at += sizeof(words)) {
		__u64 here = 0, left = first.length - at, bytes = sizeof(words), ends;

		if (at >= first.length)
			return 0;
		if (left < bytes)
			bytes = left;
		barrier_var(bytes);
		if (!bytes || bytes > sizeof(words) ||
		    bpf_probe_read_user(words, bytes, (void *)(first.at + at)))
			return 0;
#pragma clang loop unroll(disable) /* unrolled, it needs twice the stack */
		for (__u32 i = 0; i < 8; i++)
			here |= newlines_of(words[i]) << 8 * i;
		if (left < sizeof(words))
			here &= (1ULL << (left & 63)) - 1;
		ends = here & (here << 1 | before >> 63 | here << 2 | before >> 62);
		if (ends)
			return first.skipped + at + bits_of((ends & -ends) - 1) + 1;
		before = here;
	}
	return 0;
}

/*
 * Returns the length of the head by which a server switches from HTTP/1 to HTTP/2, or 0 if it
 * switches to another protocol. The head has a line "Upgrade: h2c"; we check only for "h2c" at the
 * end of a line.
 */
__noinline int http_upgrade_length(__u64 buffer, __u64 vector, __u32 vectors, __u64 length)
{
	__s32 head = http_head_length(buffer, vector, vectors, length);
	struct http_first first = {.at = buffer, .length = length};
	const __u32 window = 7; /* four words of four bytes, one byte apart */
	__u64 found = 0;

	read_first(&first, vector, vectors);
	for (__u32 at = 0; at < LONGEST_UPGRADE; at += sizeof(__u32)) {
		__u64 word = 0;

		if ((__s32)(at + window) > head ||
		    bpf_probe_read_user(&word, window, (void *)(first.at + at)))
			break;
		for (__u32 i = 0; i < sizeof(__u32); i++) {
			__u32 other = (__u32)(word >> 8 * i) ^ WORD('h', '2', 'c', '\r');

			found |= ((__u64)other - 1) >> 63; /* 1 if it is equal */
		}
		barrier_var(found);
	}
	return found ? head : 0;
}
