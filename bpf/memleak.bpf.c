/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * memleak: the C functions that its generated programs call (common/expr/program.h,
 * OutputKind::Key).
 *
 * A function that allocates is probed at its entry and at its exits. At an exit we store its block
 * by address, with the stack; the entry of a function that frees deletes it. So nested calls need
 * no special care: the block that operator new gets from malloc is stored twice under the same
 * address, and freeing an unknown block does nothing.
 *
 * All functions that allocate share one program, because the verifier takes long for code that
 * walks a stack. A table maps the number of a function's site to the meaning of its arguments.
 *
 * We delete the old block of a realloc at its entry. At its exit it would be too late, because
 * another thread may have got that address by then. If realloc fails, we store the block again.
 */
#include "bpf/lib/bpf.h"
#include "bpf/lib/tracepoint.bpf.h"
#include "bpf/runtimes/memleak_mappings.bpf.h"

/* By thread that is in realloc: the old block. */
struct memleak_old {
	struct held_key place;
	struct held_block block;
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, struct memleak_old);
} memleak_resized SEC(".maps");

/* Only for the templates, which are never attached. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} memleak_table SEC(".maps");

/*
 * A generated main's key: a function's arguments and its result. The first argument is in
 * `measured`. If the result is not known, the key ends before it.
 */
struct memleak_key {
	__u64 header;
	__u64 second, third;
	__u64 result;
};

/* Returns the bytes of a text with its NUL, or what was read if it is longer than we can read. */
enum { TEXT_PIECE = 2048, MOST_TEXT_PIECES = 64 };
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, char[TEXT_PIECE]);
} memleak_text SEC(".maps");

static __noinline __u64 text_bytes(__u64 address)
{
	__u32 zero = 0;
	char *piece = bpf_map_lookup_elem(&memleak_text, &zero);
	__u64 bytes = 0;

	for (int i = 0; piece && i < MOST_TEXT_PIECES; i++) {
		long count = bpf_probe_read_user_str(piece, TEXT_PIECE, (void *)(address + bytes));

		if (count <= 0)
			break;
		if (count < TEXT_PIECE)
			return bytes + count;
		bytes += TEXT_PIECE - 1; /* the helper ends a truncated piece with a NUL */
	}
	return bytes;
}

/* The arguments of an allocation function. */
struct memleak_request {
	__u64 kind; /* BLOCK_FIRST ... */
	__u64 first, second, third;
};

static __always_inline __u64 requested_bytes(const struct memleak_request *request)
{
	switch (request->kind) {
	case BLOCK_SECOND:
	case BLOCK_RESIZED_SECOND:
		return request->second;
	case BLOCK_PRODUCT:
		return request->first * request->second;
	case BLOCK_PLACED:
		return request->third;
	case BLOCK_RESIZED_PRODUCT:
		return request->second * request->third;
	default:
		return request->first;
	}
}

static __always_inline bool is_resizing(const struct memleak_request *request)
{
	return request->kind == BLOCK_RESIZED_SECOND || request->kind == BLOCK_RESIZED_PRODUCT;
}

/* With memleak_config.remembers: the calls under way. */
struct memleak_call {
	__u64 stack; /* pointer, at the function's entry */
	__u32 tid;
	__u32 pad;
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct memleak_call);
	__type(value, struct memleak_request);
} memleak_calls SEC(".maps");

static __always_inline void remember(void *ctx, const struct memleak_request *request)
{
	struct memleak_call call = {.stack = STACK(ctx), .tid = bpf_get_current_pid_tgid()};

	bpf_map_update_elem(&memleak_calls, &call, request, BPF_ANY);
}

/*
 * Returns false if there is no such call: another function has jumped to this one, and its return
 * was handled already.
 */
static __always_inline bool recall(void *ctx, struct memleak_request *request)
{
	struct memleak_call call = {.stack = site_entry_stack(ctx),
				    .tid = bpf_get_current_pid_tgid()};
	struct memleak_request *found = bpf_map_lookup_elem(&memleak_calls, &call);

	if (!found)
		return false;
	*request = *found;
	bpf_map_delete_elem(&memleak_calls, &call);
	return true;
}

/* Moves the old block of a realloc to memleak_resized. Returns false if it was not stored. */
static __noinline bool begins_to_resize(void *ctx)
{
	struct memleak_old old = {.place = offset_of(FIRST(ctx))};
	struct held_block *block = bpf_map_lookup_elem(&memleak_blocks, &old.place);
	__u32 tid = bpf_get_current_pid_tgid();

	if (memleak_config.wakeup_bytes && FIRST(ctx))
		report(FIRST(ctx), 0, MEMLEAK_FREED);
	if (!block)
		return false;
	old.block = *block;
	bpf_map_update_elem(&memleak_resized, &tid, &old, BPF_ANY);
	bpf_map_delete_elem(&memleak_blocks, &old.place);
	return true;
}

/* Restores the old block if realloc failed: it returned NULL for a size that is not 0. */
static __noinline int ends_to_resize(__u64 address, __u64 bytes)
{
	__u32 tid = bpf_get_current_pid_tgid();
	struct memleak_old *old = bpf_map_lookup_elem(&memleak_resized, &tid);

	if (!old)
		return 0;
	if (!address && bytes)
		bpf_map_update_elem(&memleak_blocks, &old->place, &old->block, BPF_NOEXIST);
	bpf_map_delete_elem(&memleak_resized, &tid);
	return 0;
}

/* Call at the entry of a function that allocates. Returns non-zero if its return can be ignored. */
static __noinline int begins(void *ctx, void *kinds)
{
	struct memleak_request request = {kind_of(ctx, kinds), FIRST(ctx), SECOND(ctx), THIRD(ctx)};
	bool is_kept = false;

	if (is_sampling())
		inner_call_enter(ctx);
	if (memleak_config.mappings)
		enter_allocator(ctx);
	if (is_resizing(&request))
		is_kept = begins_to_resize(ctx);
	if (memleak_config.refuses_early && !is_kept && request.kind != BLOCK_TEXT &&
	    !is_wanted(requested_bytes(&request)))
		return 1;
	if (memleak_config.remembers)
		remember(ctx, &request);
	return 0;
}

/*
 * Returns the address of the block that a function returned, or 0 if it failed. mmap() fails with
 * -1, and posix_memalign() with a result that is not 0.
 */
static __always_inline __u64 block_of(const struct memleak_request *request, __u64 result)
{
	__u64 address = 0;

	if (request->kind != BLOCK_PLACED)
		return result == (__u64)-1 ? 0 : result;
	if ((__u32)result)
		return 0;
	if (bpf_probe_read_user(&address, sizeof(address), (void *)request->first))
		count_lost(MEMLEAK_UNREADABLE);
	return address;
}

static __always_inline struct memleak_request request_of(void *ctx, void *kinds,
							 const struct memleak_key *key, __u64 first)
{
	struct memleak_request request = {kind_of(ctx, kinds), first, key->second, key->third};

	return request;
}

__hidden __noinline int memleak_allocate(void *ctx, void *table, void *key, __u64 measured,
					 __s64 status)
{
	struct memleak_request request = {};
	__u64 address, bytes;

	if (status == TABLE_AT_ENTRY)
		return begins(ctx, table);
	if (memleak_config.mappings)
		leave_allocator(ctx);
	if (refuses(status) || !key)
		return 0;
	if (memleak_config.remembers) {
		const struct memleak_short_key *returned = key;

		if (!recall(ctx, &request))
			return 0;
		address = block_of(&request, returned->result);
	} else {
		const struct memleak_key *returned = key;

		request = request_of(ctx, table, returned, measured);
		address = block_of(&request, returned->result);
	}
	bytes = request.kind == BLOCK_TEXT ? text_bytes(address) : requested_bytes(&request);
	if (is_resizing(&request))
		ends_to_resize(address, bytes);
	if (address)
		allocated(ctx, address, bytes);
	return 0;
}

/*
 * For exits that jump to another function whose return is not probed, so that the main does not
 * know the address. We count such calls as lost, with two exceptions: the C library's calloc ends
 * in memset(block, 0, bytes), which has the address, and its reallocarray in realloc, which is
 * probed.
 */
__hidden __noinline int memleak_jump(void *ctx, void *table, void *key, __u64 measured,
				     __s64 status)
{
	struct memleak_key *left = key;
	__u64 block = FIRST(ctx), bytes;
	struct memleak_request request;

	if (memleak_config.mappings)
		leave_allocator(ctx);
	if (refuses(status) || !left)
		return 0;
	request = request_of(ctx, table, left, measured);
	bytes = requested_bytes(&request);
	if (request.kind == BLOCK_RESIZED_PRODUCT)
		return 0;
	if (request.kind == BLOCK_PRODUCT && block && !(block & 15) && !(__u32)SECOND(ctx) &&
	    THIRD(ctx) <= bytes + 64)
		allocated(ctx, block, bytes);
	else
		count_lost(MEMLEAK_NO_RESULT);
	return 0;
}

/* free(block) */
__hidden __noinline int memleak_freed(void *ctx, void *table, void *key, __u64 measured,
				      __s64 status)
{
	__u64 address = FIRST(ctx);

	if (!address)
		return 0;
	if (memleak_config.wakeup_bytes)
		report(address, 0, MEMLEAK_FREED);
	forget(address);
	return 0;
}

/* execve() removes all blocks of a process. */
SEC("raw_tp/sched_process_exec")
int memleak_exec(void *ctx)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;

	bpf_map_delete_elem(&memleak_processes, &tgid);
	bpf_map_delete_elem(&memleak_overlaid, &tgid);
	return 0;
}

/* Fires for each thread that is gone; the thread whose id is the process id goes last. */
SEC("tp/sched/sched_process_free")
int memleak_free(void *ctx)
{
	__u32 ended = tracepoint_u32(ctx, memleak_config.ended_at);

	bpf_map_delete_elem(&memleak_processes, &ended);
	bpf_map_delete_elem(&memleak_overlaid, &ended);
	return 0;
}

#define MEMLEAK_TEMPLATE(function)                                                                 \
	SEC("template")                                                                            \
	int function##_template(void *ctx)                                                         \
	{                                                                                          \
		struct memleak_mapping_key key = {};                                               \
                                                                                                   \
		return function(ctx, &memleak_table, &key, 0, 0);                                  \
	}
MEMLEAK_TEMPLATE(memleak_allocate)
MEMLEAK_TEMPLATE(memleak_jump)
MEMLEAK_TEMPLATE(memleak_freed)
MEMLEAK_TEMPLATE(memleak_mapping_begins)
MEMLEAK_TEMPLATE(memleak_mapping_ends)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
