/*
 * Stores each kernel stack once and returns an id for it (bpf/unwind/stack_key.h).
 *
 * The id is the stack's hash modulo the size of the map. A slot of that map holds one stack, and
 * the kernel refuses a second one with the same slot: of 1,500 stacks in 8192 slots, some 130. We
 * walk those once more, compute a longer hash of their addresses, and store them under it in an
 * ordinary hash map. An event has no stack only if this second map is full.
 */
#pragma once

#include "bpf/unwind/stack.bpf.h"
#include "bpf/unwind/stack_key.h"

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, 1); /* --stacks */
	__uint(key_size, 4);
	__uint(value_size, STACK_KEY_FRAMES * 8);
} stacks_first SEC(".maps");

struct stacks_frames {
	__u64 addresses[STACK_KEY_FRAMES];
};
static const struct stacks_frames stacks_no_frames = {};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* half of --stacks */
	__type(key, __u32);
	__type(value, struct stacks_frames);
} stacks_more SEC(".maps");

/*
 * 30 bits of FNV-1a over words. Reads the stack in pieces, because a BPF stack cannot hold it all.
 */
static __always_inline __u32 stacks_hash(void *ctx)
{
	__u64 piece[16], hash = 0xcbf29ce484222325;

	for (__u32 skip = 0; skip < STACK_KEY_FRAMES; skip += 16) {
		__s64 bytes = bpf_get_stack(ctx, piece, sizeof(piece), skip);

		for (__u32 i = 0; i < 16 && (__s64)(i * 8) < bytes; i++)
			hash = (hash ^ piece[i]) * 0x100000001b3;
		if (bytes < (__s64)sizeof(piece))
			break;
	}
	return (hash ^ hash >> 32) & (STACK_KEY_MORE - 1);
}

/* Returns an id, or a negative error: see bpf/unwind/stack_key.h. */
static __noinline __s32 stacks_id(void *ctx)
{
	__s64 id = bpf_get_stackid(ctx, &stacks_first, 0);
	struct stacks_frames *frames;
	__u32 hash;

	if (id >= 0 || id == STACK_KEY_NONE)
		return id;
	hash = stacks_hash(ctx);
	if (!bpf_map_lookup_elem(&stacks_more, &hash)) {
		bpf_map_update_elem(&stacks_more, &hash, &stacks_no_frames, BPF_NOEXIST);
		frames = bpf_map_lookup_elem(&stacks_more, &hash);
		if (!frames)
			return id;
		bpf_get_stack(ctx, frames, sizeof(*frames), 0);
	}
	return hash | STACK_KEY_MORE;
}
