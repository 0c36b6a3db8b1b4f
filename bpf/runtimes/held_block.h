/* Blocks of memory that BPF programs track from their allocation until they are freed. */
#pragma once

#include "bpf/unwind/stack_key.h"

/*
 * The key of a block: its address and its process (in the initial pid namespace). `is_mapping`
 * separates mappings made by system calls from blocks that allocation functions returned.
 */
struct held_key {
	__u64 address;
	__u32 tgid;
	__u32 is_mapping;
};
ABI_SIZE(held_key, 16);

/*
 * A range that a process has unmapped; older mappings in it are gone. Its key is a held_key with
 * its address.
 */
struct held_hole {
	__u64 ts_ns;
	__u64 bytes;
};
ABI_SIZE(held_hole, 16);

struct held_block {
	__u64 ts_ns;
	__u64 bytes;
	struct stack_key stack; /* tgid: in the user's pid namespace */
};
ABI_SIZE(held_block, 16 + sizeof(struct stack_key));

/* Which arguments of a function give the requested size. */
enum {
	BLOCK_FIRST,	       /* malloc(bytes) */
	BLOCK_SECOND,	       /* aligned_alloc(alignment, bytes) */
	BLOCK_PRODUCT,	       /* calloc(count, bytes) */
	BLOCK_PLACED,	       /* posix_memalign(result, alignment, bytes) */
	BLOCK_RESIZED_SECOND,  /* realloc(block, bytes) */
	BLOCK_RESIZED_PRODUCT, /* reallocarray(block, count, bytes) */
	BLOCK_TEXT,	       /* strdup(text): the length of the result with its NUL */
	BLOCK_MAPPED,	       /* system calls: mmap(address, bytes, ...), */
	BLOCK_UNMAPPED,	       /* munmap(address, bytes), */
	BLOCK_REMAPPED,	       /* mremap(address, bytes, new_bytes, flags) */
};
