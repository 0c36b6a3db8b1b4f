/* Blocks of memory that a tool's programs keep, from their allocation until they are freed. */
#pragma once

#include "lib/stack_key.h"

/*
 * A block is known by its address and the process, as the kernel numbers it. What was mapped by a system call is apart from
 * what an allocation function returned.
 */
struct held_place {
	__u64 address;
	__u32 tgid;
	__u32 is_mapping;
};
ABI_SIZE(held_place, 16);

/* A range that a process has unmapped, by its held_place: mappings from before are not held there any more. */
struct held_hole {
	__u64 ts_ns;
	__u64 bytes;
};
ABI_SIZE(held_hole, 16);

struct held_block {
	__u64 ts_ns;
	__u64 bytes;
	struct stack_key stack; /* tgid: as the person sees it */
};
ABI_SIZE(held_block, 16 + sizeof(struct stack_key));

/* Where a function's arguments say what it is asked for. */
enum {
	BLOCK_FIRST,	       /* malloc(bytes) */
	BLOCK_SECOND,	       /* aligned_alloc(alignment, bytes) */
	BLOCK_PRODUCT,	       /* calloc(count, bytes) */
	BLOCK_PLACED,	       /* posix_memalign(place, alignment, bytes) */
	BLOCK_RESIZED_SECOND,  /* realloc(block, bytes) */
	BLOCK_RESIZED_PRODUCT, /* reallocarray(block, count, bytes) */
	BLOCK_TEXT,	       /* strdup(text): as many as the result holds, with its end */
	BLOCK_MAPPED,	       /* system calls: mmap(address, bytes, ...), */
	BLOCK_UNMAPPED,	       /* munmap(address, bytes), */
	BLOCK_REMAPPED,	       /* mremap(address, bytes, new_bytes, flags) */
};
