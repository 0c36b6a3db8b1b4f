/* Blocks of memory that a tool's programs keep, from their allocation until they are freed. */
#pragma once

#include "lib/stack_key.h"

/* A block is known by its address and the process, as the kernel numbers it. */
struct held_place {
	__u64 address;
	__u32 tgid;
	__u32 pad;
};
ABI_SIZE(held_place, 16);

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
};
