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
 *
 * Sampling. Nested calls share a random number (bpf/runtimes/inner_call.bpf.h). It selects a block
 * of b bytes with the probability min(1, b / N), and the frontend counts selected blocks of less
 * than N bytes as N bytes: the expected value is exact for every size.
 *
 * The frontend recognizes blocks of a process that has ended or called execve() by their time: it
 * is before the process's time in memleak_processes, or there is no such entry. The frontend
 * deletes these blocks.
 */
#include "bpf/lib/bpf.h"
#include "bpf/memleak.h"
#include "bpf/lib/emit.bpf.h"
#include "bpf/lib/ids.bpf.h"
#include "bpf/runtimes/inner_call.bpf.h"
#include "bpf/lib/probe.bpf.h"
#include "bpf/lib/table.h"
#include "bpf/lib/tracepoint.bpf.h"
#include "bpf/unwind/unwind_site.bpf.h"

const volatile struct memleak_config memleak_config = {};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* --blocks */
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct held_key);
	__type(value, struct held_block);
} memleak_blocks SEC(".maps");

/* The time since which we store a process's blocks. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u64);
} memleak_processes SEC(".maps");

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

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* set by the frontend */
} memleak_events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, MEMLEAK_LOST);
	__type(key, __u32);
	__type(value, __u64);
} memleak_lost SEC(".maps");

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
/* The key with memleak_config.remembers, and at the end of system calls. */
struct memleak_short_key {
	__u64 header;
	__u64 result;
};

static __always_inline void count_lost(__u32 why)
{
	__u64 *lost = bpf_map_lookup_elem(&memleak_lost, &why);

	if (lost)
		__sync_fetch_and_add(lost, 1);
}

static __always_inline bool refuses(__s64 status)
{
	if (status)
		count_lost(status == -28 /* ENOSPC */ ? MEMLEAK_NO_CALL : MEMLEAK_UNREADABLE);
	return status;
}

static __always_inline __u64 shown_ids(void)
{
	return ids_current(memleak_config.pidns_device, memleak_config.pidns_inode);
}

static __always_inline struct held_key offset_of(__u64 address)
{
	struct held_key place = {.address = address, .tgid = bpf_get_current_pid_tgid() >> 32};
	return place;
}

static __noinline int report(__u64 address, __u64 bytes, __u32 what)
{
	struct memleak_event *event;
	__u64 ids = shown_ids();

	event = bpf_ringbuf_reserve(&memleak_events, sizeof(*event), 0);
	if (!event) {
		count_lost(MEMLEAK_NO_EVENT);
		return 0;
	}
	event->ts_ns = bpf_ktime_get_ns();
	event->address = address;
	event->bytes = bytes;
	event->tgid = ids >> 32;
	event->tid = ids;
	event->what = what;
	event->pad = 0;
	bpf_get_current_comm(event->comm, sizeof(event->comm));
	emit_submit(&memleak_events, event, memleak_config.wakeup_bytes);
	return 0;
}

static __always_inline bool is_sampled(__u64 bytes, __u32 chance)
{
	if (memleak_config.sample_every)
		return !((__u64)chance * memleak_config.sample_every >> 32);
	if (!memleak_config.sample_bytes || bytes >= memleak_config.sample_bytes)
		return true;
	return (__u64)chance * memleak_config.sample_bytes >> 32 < (bytes ? bytes : 1);
}

static __always_inline bool is_sampling(void)
{
	return memleak_config.sample_every || memleak_config.sample_bytes;
}

static __always_inline bool is_wanted(__u64 bytes)
{
	return bytes >= memleak_config.least_bytes && bytes <= memleak_config.most_bytes &&
	       (!is_sampling() || is_sampled(bytes, inner_call_chance()));
}

/*
 * Stores when we first saw the process, so that its blocks differ from those of an earlier process
 * with its id. Returns false if the map is full.
 */
static __always_inline bool knows_process(const struct held_key *place, __u64 ts_ns)
{
	__u32 tgid = place->tgid;

	if (bpf_map_lookup_elem(&memleak_processes, &tgid))
		return true;
	bpf_map_update_elem(&memleak_processes, &tgid, &ts_ns, BPF_NOEXIST);
	if (bpf_map_lookup_elem(&memleak_processes, &tgid))
		return true;
	count_lost(MEMLEAK_NO_PROCESS);
	return false;
}

static __noinline int keep(void *ctx, __u64 address, __u64 bytes, __u32 is_mapping)
{
	struct held_key place = {address, bpf_get_current_pid_tgid() >> 32, is_mapping};
	struct held_block block = {.ts_ns = bpf_ktime_get_ns(), .bytes = bytes};

	if (!knows_process(&place, block.ts_ns))
		return 0;
	block.stack.kernel_id = STACK_KEY_NONE;
	block.stack.tgid = shown_ids() >> 32;
	block.stack.user_id = unwind_user(ctx);
	if (bpf_map_update_elem(&memleak_blocks, &place, &block, BPF_ANY))
		count_lost(MEMLEAK_NO_BLOCK);
	return 0;
}

static __always_inline void forget(__u64 address)
{
	struct held_key place = offset_of(address);

	if (bpf_map_lookup_elem(&memleak_blocks, &place))
		bpf_map_delete_elem(&memleak_blocks, &place);
}

static __always_inline void allocated(void *ctx, __u64 address, __u64 bytes)
{
	if (memleak_config.wakeup_bytes)
		report(address, bytes, MEMLEAK_ALLOCATED);
	if (is_wanted(bytes))
		keep(ctx, address, bytes, 0);
	else /* we may have missed the free of an earlier block at this address */
		forget(address);
}

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

/* `kinds` maps the number of a site to its function's kind, BLOCK_FIRST ... */
static __always_inline __u32 kind_of(void *ctx, void *kinds)
{
	__u32 site = site_number(ctx), *kind = bpf_map_lookup_elem(kinds, &site);

	return kind ? *kind : BLOCK_FIRST;
}

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

#ifdef __TARGET_ARCH_x86
#define FIRST(ctx) (((struct pt_regs *)(ctx))->di)
#define SECOND(ctx) (((struct pt_regs *)(ctx))->si)
#define THIRD(ctx) (((struct pt_regs *)(ctx))->dx)
#define STACK(ctx) (((struct pt_regs *)(ctx))->sp)
#else
#define FIRST(ctx) (((struct user_pt_regs *)(ctx))->regs[0])
#define SECOND(ctx) (((struct user_pt_regs *)(ctx))->regs[1])
#define THIRD(ctx) (((struct user_pt_regs *)(ctx))->regs[2])
#define STACK(ctx) (((struct user_pt_regs *)(ctx))->sp)
#endif

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

/*
 * With --mmap: the stack pointer with which a thread entered the outermost function that allocates.
 * If a thread maps memory while its stack pointer is lower, the allocator maps it for itself. If an
 * exception or longjmp() leaves a call, its entry stays until the next call with a higher stack
 * pointer.
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

/*
 * With --mmap: the system calls that map memory. A call may unmap a part of a mapping, or several
 * mappings with the gaps between them, or map over others. Here we store a mapping under its start
 * address and each unmapped range as a hole. The frontend replays both in the order of their times
 * to find out what remains (common/lang/held_mappings.h).
 */
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

struct memleak_mapping_key {
	__u64 header;
	__u64 address, bytes, new_bytes, flags;
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
	if (bytes >= memleak_config.least_bytes && bytes <= memleak_config.most_bytes &&
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
