/*
 * Reads the objects of Redis and Valkey servers.
 *
 * The arguments of a command are reference-counted objects, robj. Their texts are strings of the
 * type sds, which have the length before the text. These layouts are the same from Redis 3.2 to 8
 * and in Valkey up to 9.0:
 *
 *     robj    4 bits type (0: string), 4 bits encoding (0: sds, 8: sds in one piece with the robj,
 *             1: a number in place of the pointer), 24 bits; int references; void *pointer
 *     sds     [length | allocated | flags] text …   the pointer points to the text; the low 3 bits
 *             of `flags` are the width of the two numbers: 1: 1 byte, 2: 2, 3: 4, 4: 8; 0: there
 *             are no numbers, and the length is in the other 5 bits
 *
 * Since Valkey 9.1, the low 3 bits of `references` are flags for what follows the first 8 bytes of
 * the object, in this order:
 *
 *     1       the expiry time, 8 bytes
 *     2       the key, in values that SET has stored: 1 byte with the size of the sds head, the sds
 *     4       the text of encoding 8, an sds with 1-byte numbers, in place of the pointer
 *
 * An argument in any other form is reported as unreadable.
 */
#pragma once

#include "bpf/lib/bpf.h"

enum { OBJECT_STRING = 0, OBJECT_RAW = 0, OBJECT_NUMBER = 1, OBJECT_EMBEDDED = 8 };

enum { HAS_EXPIRY = 1, HAS_KEY = 2, HAS_EMBEDDED_TEXT = 4 }; /* low bits of `references` */
enum { OBJECT_HEAD = 8, OBJECT_BYTES = 16, SHORT_SDS_HEAD = 3, MAX_EMBEDDED = 256 };

struct object {
	__u32 bits;
	__u32 references;
	__u64 pointer;
};

/* Returns non-zero if `text` is not the text of an sds. */
static __always_inline long sds_length(__u64 text, __u64 *length)
{
	__u8 flags;

	*length = 0;
	if (bpf_probe_read_user(&flags, sizeof(flags), (void *)text - 1))
		return -1;
	switch (flags & 7) {
	case 0:
		*length = flags >> 3;
		return 0;
	case 1:
		return bpf_probe_read_user(length, 1, (void *)text - 3);
	case 2:
		return bpf_probe_read_user(length, 2, (void *)text - 5);
	case 3:
		return bpf_probe_read_user(length, 4, (void *)text - 9);
	case 4:
		return bpf_probe_read_user(length, 8, (void *)text - 17);
	}
	return -1;
}

/* Returns the address of an object's text, or 0 if the object does not seem to contain text. */
static __always_inline __u64 text_of(const struct object *object, __u64 address,
				     bool has_texts_inside)
{
	__u32 encoding = object->bits >> 4 & 15;
	__u64 distance = object->pointer - address - OBJECT_BYTES, key_bytes;
	__u8 head;

	if (encoding == OBJECT_RAW)
		return object->pointer;
	if (encoding != OBJECT_EMBEDDED)
		return 0;
	if (!has_texts_inside || !(object->references & HAS_EMBEDDED_TEXT))
		return distance < MAX_EMBEDDED ? object->pointer : 0;
	address += OBJECT_HEAD + (object->references & HAS_EXPIRY ? 8 : 0);
	if (object->references & HAS_KEY) {
		if (bpf_probe_read_user(&head, sizeof(head), (void *)address))
			return 0;
		address += sizeof(head) + head;
		if (sds_length(address, &key_bytes) || key_bytes > MAX_EMBEDDED)
			return 0;
		address += key_bytes + 1; /* the key ends with a NUL */
	}
	return address + SHORT_SDS_HEAD;
}
