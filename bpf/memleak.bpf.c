/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * memleak: the C half of its programs, whose mains are generated (common/expr/program.h, OutputKind::Key).
 *
 * A function that allocates is seen at its entry and at its ways out. There its block becomes known by
 * its address, with its stack; the entry of a function that frees takes it away. So nothing has to be
 * known of calls that ask each other: a block that operator new has from malloc is made known twice, as the
 * same one, and freeing what is not known does nothing.
 *
 * All functions that allocate share one program, as the verifier takes long for what walks a stack. What a
 * function's arguments mean is told by a table, by its site's number.
 *
 * realloc frees the old block at its entry. Later it would be too late, as another thread may have got
 * that address by then. When it fails, the block is made known again.
 *
 * Sampling. Calls that ask each other have a random number in common (lib/inner_call.bpf.h). Of a block of
 * b bytes it decides with the probability min(1, b / N), and the frontend counts what was chosen as N bytes
 * where b is less: the expectation is exact for every size.
 *
 * Blocks of a process that has ended, or that executes another program, are told by their time: it is
 * before that of memleak_processes, or there is none. The frontend removes them.
 */
#include "lib/bpf.h"
#include "memleak.h"
#include "lib/emit.bpf.h"
#include "lib/ids.bpf.h"
#include "lib/inner_call.bpf.h"
#include "lib/probe.bpf.h"
#include "lib/table.h"
#include "lib/tracepoint.bpf.h"
#include "lib/unwind_site.bpf.h"

const volatile struct memleak_config memleak_config = {};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* --blocks */
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct held_place);
	__type(value, struct held_block);
} memleak_blocks SEC(".maps");

/* Since when a process has blocks that are known. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u64);
} memleak_processes SEC(".maps");

/* Of threads that are in realloc: the old block. */
struct memleak_old {
	struct held_place place;
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
 * A generated main's key: what a function was asked for, whose first argument is what is measured, and its result. Where the result is
 * not seen, the key ends before it.
 */
struct memleak_key {
	__u64 header;
	__u64 second, third;
	__u64 result;
};
/* With `remembers`. */
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

static __always_inline struct held_place place_of(__u64 address)
{
	struct held_place place = {.address = address, .tgid = bpf_get_current_pid_tgid() >> 32};
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

/* Not false: its blocks can be told from those of an earlier process of that number. */
static __always_inline bool knows_process(const struct held_place *place, __u64 ts_ns)
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
	struct held_place place = {address, bpf_get_current_pid_tgid() >> 32, is_mapping};
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
	struct held_place place = place_of(address);

	if (bpf_map_lookup_elem(&memleak_blocks, &place))
		bpf_map_delete_elem(&memleak_blocks, &place);
}

static __always_inline void allocated(void *ctx, __u64 address, __u64 bytes)
{
	if (memleak_config.wakeup_bytes)
		report(address, bytes, MEMLEAK_ALLOCATED);
	if (is_wanted(bytes))
		keep(ctx, address, bytes, 0);
	else /* when freeing the last one here was not seen */
		forget(address);
}

/* How many bytes a text has, with its end. Of one that is longer than can be read here: what was read. */
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
		bytes += TEXT_PIECE - 1; /* what was cut ends with a 0 of the helper's */
	}
	return bytes;
}

struct asked {
	__u64 shape;
	__u64 first, second, third;
};

/* `shapes`: how the functions are asked, by the sites' numbers. */
static __always_inline __u32 shape_of(void *ctx, void *shapes)
{
	__u32 site = site_number(ctx), *shape = bpf_map_lookup_elem(shapes, &site);

	return shape ? *shape : BLOCK_FIRST;
}

static __always_inline __u64 bytes_asked(const struct asked *asked)
{
	switch (asked->shape) {
	case BLOCK_SECOND:
	case BLOCK_RESIZED_SECOND:
		return asked->second;
	case BLOCK_PRODUCT:
		return asked->first * asked->second;
	case BLOCK_PLACED:
		return asked->third;
	case BLOCK_RESIZED_PRODUCT:
		return asked->second * asked->third;
	default:
		return asked->first;
	}
}

static __always_inline bool is_resizing(const struct asked *asked)
{
	return asked->shape == BLOCK_RESIZED_SECOND || asked->shape == BLOCK_RESIZED_PRODUCT;
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

/* With `remembers`: the calls whose returns are looked at. */
struct memleak_call {
	__u64 stack; /* pointer, at the function's entry */
	__u32 tid;
	__u32 pad;
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct memleak_call);
	__type(value, struct asked);
} memleak_calls SEC(".maps");

static __always_inline void remember(void *ctx, const struct asked *asked)
{
	struct memleak_call call = {.stack = STACK(ctx), .tid = bpf_get_current_pid_tgid()};

	bpf_map_update_elem(&memleak_calls, &call, asked, BPF_ANY);
}

/* False: of a function that another one has jumped to, what it got is known already. */
static __always_inline bool recall(void *ctx, struct asked *asked)
{
	struct memleak_call call = {.stack = site_entry_stack(ctx),
				    .tid = bpf_get_current_pid_tgid()};
	struct asked *found = bpf_map_lookup_elem(&memleak_calls, &call);

	if (!found)
		return false;
	*asked = *found;
	bpf_map_delete_elem(&memleak_calls, &call);
	return true;
}

static __noinline bool begins_to_resize(void *ctx)
{
	struct memleak_old old = {.place = place_of(FIRST(ctx))};
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

/* What was resized is gone, but when there is no new block for so many bytes. */
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
 * With --mmap: the stack pointer with which a thread entered the outermost function that allocates. What a thread maps
 * from below there is its allocator's own. A call that an exception or longjmp() leaves stays here, until one from above.
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

/* At the entry of a function that allocates. Not 0: its return need not be looked at. */
static __noinline int begins(void *ctx, void *shapes)
{
	struct asked asked = {shape_of(ctx, shapes), FIRST(ctx), SECOND(ctx), THIRD(ctx)};
	bool is_kept = false;

	if (is_sampling())
		inner_call_enter(ctx);
	if (memleak_config.mappings)
		enter_allocator(ctx);
	if (is_resizing(&asked))
		is_kept = begins_to_resize(ctx);
	if (memleak_config.refuses_early && !is_kept && asked.shape != BLOCK_TEXT &&
	    !is_wanted(bytes_asked(&asked)))
		return 1;
	if (memleak_config.remembers)
		remember(ctx, &asked);
	return 0;
}

/* The block that a function returns, 0: none. mmap says so by -1, posix_memalign in its result. */
static __always_inline __u64 block_of(const struct asked *asked, __u64 result)
{
	__u64 address = 0;

	if (asked->shape != BLOCK_PLACED)
		return result == (__u64)-1 ? 0 : result;
	if ((__u32)result)
		return 0;
	if (bpf_probe_read_user(&address, sizeof(address), (void *)asked->first))
		count_lost(MEMLEAK_UNREADABLE);
	return address;
}

static __always_inline struct asked asked_for(void *ctx, void *shapes,
					      const struct memleak_key *key, __u64 first)
{
	struct asked asked = {shape_of(ctx, shapes), first, key->second, key->third};

	return asked;
}

__hidden __noinline int memleak_allocate(void *ctx, void *table, void *key, __u64 measured,
					 __s64 status)
{
	struct asked asked = {};
	__u64 address, bytes;

	if (status == TABLE_AT_ENTRY)
		return begins(ctx, table);
	if (memleak_config.mappings)
		leave_allocator(ctx);
	if (refuses(status) || !key)
		return 0;
	if (memleak_config.remembers) {
		const struct memleak_short_key *returned = key;

		if (!recall(ctx, &asked))
			return 0;
		address = block_of(&asked, returned->result);
	} else {
		const struct memleak_key *returned = key;

		asked = asked_for(ctx, table, returned, measured);
		address = block_of(&asked, returned->result);
	}
	bytes = asked.shape == BLOCK_TEXT ? text_bytes(address) : bytes_asked(&asked);
	if (is_resizing(&asked))
		ends_to_resize(address, bytes);
	if (address)
		allocated(ctx, address, bytes);
	return 0;
}

/*
 * Where functions are left by a jump to another one whose return is not seen, so that the main knows no
 * address: counted as lost, but of two. The C library's calloc ends in memset(block, 0, bytes), and its
 * reallocarray in realloc, which is seen.
 */
__hidden __noinline int memleak_jump(void *ctx, void *table, void *key, __u64 measured,
				     __s64 status)
{
	struct memleak_key *left = key;
	__u64 block = FIRST(ctx), bytes;
	struct asked asked;

	if (memleak_config.mappings)
		leave_allocator(ctx);
	if (refuses(status) || !left)
		return 0;
	asked = asked_for(ctx, table, left, measured);
	bytes = bytes_asked(&asked);
	if (asked.shape == BLOCK_RESIZED_PRODUCT)
		return 0;
	if (asked.shape == BLOCK_PRODUCT && block && !(block & 15) && !(__u32)SECOND(ctx) &&
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
 * With --mmap: the system calls that map memory. One may unmap a part of what was mapped, or several mappings with what is between
 * them, or be put over others. Here a mapping is kept under its start, and each range that was unmapped as a hole; what is held
 * of a mapping is found by the frontend, which puts both in the order of their times (common/lang/held_mappings.h).
 */
enum { PAGE_BYTES = 4096, MAP_FIXED = 0x10, MREMAP_FIXED = 2, MREMAP_DONTUNMAP = 4 };

struct memleak_mapping_call {
	__u64 ts_ns;
	__u64 address, bytes, new_bytes, flags;
	__u64 shape;
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
	__type(key, struct held_place);
	__type(value, struct held_hole);
} memleak_holes SEC(".maps");

/* Processes that have put a mapping over others: unmapping it may unmap more than it. */
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

static __always_inline struct held_place mapping_at(__u64 address)
{
	struct held_place place = {address, bpf_get_current_pid_tgid() >> 32, 1};

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
	struct held_place place = mapping_at(address);
	struct held_hole hole = {ts_ns, bytes}, *old = bpf_map_lookup_elem(&memleak_holes, &place);

	if (old && old->bytes > bytes) { /* what is behind the new one stays known */
		struct held_place rest = mapping_at(address + bytes);
		struct held_hole behind = {old->ts_ns, old->bytes - bytes};

		if (bpf_map_update_elem(&memleak_holes, &rest, &behind, BPF_NOEXIST) == -7)
			count_lost(MEMLEAK_NO_HOLE);
	}
	if (bpf_map_update_elem(&memleak_holes, &place, &hole, BPF_ANY))
		count_lost(MEMLEAK_NO_HOLE);
	return 0;
}

static __noinline int unmapped(__u64 address, __u64 bytes, __u64 ts_ns)
{
	struct held_place place = mapping_at(address);
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

/* A new mapping replaces one that began there; what that has behind it stays. */
static __noinline int keep_rest(__u64 address, __u64 bytes)
{
	struct held_place place = mapping_at(address), rest = mapping_at(address + bytes);
	struct held_block *old = bpf_map_lookup_elem(&memleak_blocks, &place), block;

	if (!old || old->bytes <= bytes)
		return 0;
	block = *old;
	block.bytes -= bytes;
	if (bpf_map_update_elem(&memleak_blocks, &rest, &block, BPF_NOEXIST) == -7)
		count_lost(MEMLEAK_NO_BLOCK);
	return 0;
}

static __noinline int mapped(void *ctx, __u64 address, __u64 bytes)
{
	struct held_place place = mapping_at(address);

	if (memleak_config.wakeup_bytes)
		report(address, bytes, MEMLEAK_ALLOCATED);
	keep_rest(address, whole_pages(bytes));
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
	struct memleak_mapping_key *asked = key;
	struct memleak_mapping_call call = {.ts_ns = bpf_ktime_get_ns()};
	__u32 tid = bpf_get_current_pid_tgid();

	if (refuses(status) || !asked || is_in_allocator())
		return 0;
	call.shape = shape_of(ctx, table);
	call.address = asked->address;
	call.bytes = asked->bytes;
	call.new_bytes = asked->new_bytes;
	call.flags = asked->flags;
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
	if (call.shape == BLOCK_UNMAPPED)
		return unmapped(call.address, call.bytes, call.ts_ns);
	if (call.shape == BLOCK_REMAPPED && call.bytes && !(call.flags & MREMAP_DONTUNMAP))
		unmapped(call.address, call.bytes, call.ts_ns);
	if (call.flags & (call.shape == BLOCK_MAPPED ? MAP_FIXED : MREMAP_FIXED))
		bpf_map_update_elem(&memleak_overlaid, &tgid, &one, BPF_ANY);
	return mapped(ctx, returned->result,
		      call.shape == BLOCK_REMAPPED ? call.new_bytes : call.bytes);
}

/* A process that executes another program has none of its blocks any more. */
SEC("raw_tp/sched_process_exec")
int memleak_exec(void *ctx)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;

	bpf_map_delete_elem(&memleak_processes, &tgid);
	bpf_map_delete_elem(&memleak_overlaid, &tgid);
	return 0;
}

/* Called with each thread that is gone; that of a process goes last. */
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
