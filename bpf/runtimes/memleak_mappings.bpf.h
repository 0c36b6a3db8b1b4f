/*
 * memleak --mmap: the system calls that map memory.
 *
 * A call may unmap a part of a mapping, or several mappings with the gaps between them, or map over
 * others. Here we store a mapping under its start address and each unmapped range as a hole. The
 * frontend replays both in the order of their times to find out what remains
 * (common/lang/held_mappings.h).
 */
#pragma once

#include "bpf/runtimes/memleak_blocks.bpf.h"

enum { PAGE_BYTES = 4096, MAP_FIXED = 0x10, MREMAP_FIXED = 2, MREMAP_DONTUNMAP = 4 };

struct memleak_mapping_call {
	__u64 ts_ns;
	__u64 address, bytes, new_bytes, flags;
	__u64 kind;
};
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, struct memleak_mapping_call);
} memleak_mapping_calls SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct held_key);
	__type(value, struct held_hole);
} memleak_holes SEC(".maps");

/* Processes that have mapped over other mappings: munmap() of one may remove parts of others. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u32);
} memleak_overlaid SEC(".maps");

/*
 * The stack pointer with which a thread entered the outermost function that allocates. If a thread
 * maps memory while its stack pointer is lower, the allocator maps it for itself. If an exception
 * or longjmp() leaves a call, its entry stays until the next call with a higher stack pointer.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, __u64);
} memleak_allocators SEC(".maps");

static __always_inline void enter_allocator(void *ctx)
{
	__u64 stack = STACK(ctx), *outermost;
	__u32 tid = bpf_get_current_pid_tgid();

	outermost = bpf_map_lookup_elem(&memleak_allocators, &tid);
	if (!outermost || *outermost <= stack)
		bpf_map_update_elem(&memleak_allocators, &tid, &stack, BPF_ANY);
}

static __always_inline void leave_allocator(void *ctx)
{
	__u32 tid = bpf_get_current_pid_tgid();
	__u64 *outermost = bpf_map_lookup_elem(&memleak_allocators, &tid);

	if (outermost && *outermost <= STACK(ctx))
		bpf_map_delete_elem(&memleak_allocators, &tid);
}

struct memleak_mapping_key {
	__u64 header;
	__u64 address, bytes, new_bytes, flags;
};
/* The key at the end of a system call, and of a function with memleak_config.remembers. */
struct memleak_short_key {
	__u64 header;
	__u64 result;
};

static __always_inline __u64 whole_pages(__u64 bytes)
{
	return (bytes + PAGE_BYTES - 1) & ~(__u64)(PAGE_BYTES - 1);
}

static __always_inline struct held_key mapping_at(__u64 address)
{
	struct held_key place = {address, bpf_get_current_pid_tgid() >> 32, 1};

	return place;
}

static __always_inline bool is_in_allocator(void)
{
	__u32 tid = bpf_get_current_pid_tgid();
	__u64 *outermost = bpf_map_lookup_elem(&memleak_allocators, &tid), stack = 0;
	void *registers = unwind_saved_registers();

	return outermost && registers &&
	       !bpf_probe_read_kernel(&stack, sizeof(stack), registers + UNWIND_SP_WORD * 8) &&
	       stack < *outermost;
}

static __noinline int make_hole(__u64 address, __u64 bytes, __u64 ts_ns)
{
	struct held_key place = mapping_at(address);
	struct held_hole hole = {ts_ns, bytes}, *old = bpf_map_lookup_elem(&memleak_holes, &place);

	if (old && old->bytes > bytes) { /* keep the part of the old hole after the new one */
		struct held_key after = mapping_at(address + bytes);
		struct held_hole remaining = {old->ts_ns, old->bytes - bytes};

		if (bpf_map_update_elem(&memleak_holes, &after, &remaining, BPF_NOEXIST) == -7)
			count_lost(MEMLEAK_NO_HOLE);
	}
	if (bpf_map_update_elem(&memleak_holes, &place, &hole, BPF_ANY))
		count_lost(MEMLEAK_NO_HOLE);
	return 0;
}

static __noinline int unmapped(__u64 address, __u64 bytes, __u64 ts_ns)
{
	struct held_key place = mapping_at(address);
	struct held_block *block = bpf_map_lookup_elem(&memleak_blocks, &place);
	bool is_whole = block && whole_pages(block->bytes) == whole_pages(bytes);

	if (memleak_config.wakeup_bytes)
		report(address, 0, MEMLEAK_FREED);
	if (is_whole)
		bpf_map_delete_elem(&memleak_blocks, &place);
	if (!is_whole || bpf_map_lookup_elem(&memleak_overlaid, &place.tgid))
		make_hole(address, whole_pages(bytes), ts_ns);
	return 0;
}

/* A new mapping replaces one with the same start; keeps the part of the old one after it. */
static __noinline int keep_remaining(__u64 address, __u64 bytes)
{
	struct held_key place = mapping_at(address), after = mapping_at(address + bytes);
	struct held_block *old = bpf_map_lookup_elem(&memleak_blocks, &place), block;

	if (!old || old->bytes <= bytes)
		return 0;
	block = *old;
	block.bytes -= bytes;
	if (bpf_map_update_elem(&memleak_blocks, &after, &block, BPF_NOEXIST) == -7)
		count_lost(MEMLEAK_NO_BLOCK);
	return 0;
}

static __noinline int mapped(void *ctx, __u64 address, __u64 bytes)
{
	struct held_key place = mapping_at(address);

	if (memleak_config.wakeup_bytes)
		report(address, bytes, MEMLEAK_ALLOCATED);
	keep_remaining(address, whole_pages(bytes));
	if (bytes >= memleak_config.least_bytes && bytes <= memleak_config.max_bytes &&
	    (!is_sampling() || is_sampled(bytes, bpf_get_prandom_u32())))
		return keep(ctx, address, bytes, 1);
	bpf_map_delete_elem(&memleak_blocks, &place);
	if (bpf_map_lookup_elem(&memleak_overlaid, &place.tgid))
		make_hole(address, whole_pages(bytes), bpf_ktime_get_ns());
	return 0;
}

__hidden __noinline int memleak_mapping_begins(void *ctx, void *table, void *key, __u64 measured,
					       __s64 status)
{
	struct memleak_mapping_key *request = key;
	struct memleak_mapping_call call = {.ts_ns = bpf_ktime_get_ns()};
	__u32 tid = bpf_get_current_pid_tgid();

	if (refuses(status) || !request || is_in_allocator())
		return 0;
	call.kind = kind_of(ctx, table);
	call.address = request->address;
	call.bytes = request->bytes;
	call.new_bytes = request->new_bytes;
	call.flags = request->flags;
	if (bpf_map_update_elem(&memleak_mapping_calls, &tid, &call, BPF_ANY))
		count_lost(MEMLEAK_NO_CALL);
	return 0;
}

__hidden __noinline int memleak_mapping_ends(void *ctx, void *table, void *key, __u64 measured,
					     __s64 status)
{
	struct memleak_short_key *returned = key;
	__u32 tid = bpf_get_current_pid_tgid(), tgid = bpf_get_current_pid_tgid() >> 32, one = 1;
	struct memleak_mapping_call *found = bpf_map_lookup_elem(&memleak_mapping_calls, &tid),
				    call;

	if (!found)
		return 0;
	call = *found;
	bpf_map_delete_elem(&memleak_mapping_calls, &tid);
	if (refuses(status) || !returned || returned->result > (__u64)-PAGE_BYTES)
		return 0;
	if (call.kind == BLOCK_UNMAPPED)
		return unmapped(call.address, call.bytes, call.ts_ns);
	if (call.kind == BLOCK_REMAPPED && call.bytes && !(call.flags & MREMAP_DONTUNMAP))
		unmapped(call.address, call.bytes, call.ts_ns);
	if (call.flags & (call.kind == BLOCK_MAPPED ? MAP_FIXED : MREMAP_FIXED))
		bpf_map_update_elem(&memleak_overlaid, &tgid, &one, BPF_ANY);
	return mapped(ctx, returned->result,
		      call.kind == BLOCK_REMAPPED ? call.new_bytes : call.bytes);
}
