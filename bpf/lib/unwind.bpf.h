/*
 * User stacks of any code: with frame pointers, and without.
 *
 * How to go from a frame to its caller's is said by .eh_frame for each place in the code. The whole of
 * these tables is too much for the kernel, but the return addresses that are met on stacks are few: so
 * the rules of those are learned. A walk looks up the rule of each address in unwind_rules. Where
 * one is missing, the registers and a copy of the stack go to the frontend (probe/unwinder.h). It
 * completes that stack by the files' tables, so that no event is without one, and puts the rules that it
 * needed into the map, where the next walk finds them. After some misses at a site there is none any more.
 *
 * A tool calls one of these for the id of the current user stack (lib/unwind.h), which it takes as it takes
 * a number, as a part of keys; the frontend makes addresses of ids:
 *
 *	unwind_at_entry(ctx)     at the first or the return instruction of a program's function
 *	unwind_inside(ctx)       elsewhere in a program
 *	unwind_from_kernel()     in the kernel
 *
 * or, in the C half of generated programs, unwind_user() (lib/unwind_site.bpf.h).
 *
 * A process is known here by unwind_layouts; the programs at the end, which the frontend attaches, see to
 * it that it is forgotten in time.
 *
 * Frames of interpreters are walked besides, by their lists. The frontend puts them where the C frames of the
 * interpreters' evaluation loops are.
 *
 * The walk's state is in a map, not on the stack: so the verifier does not follow its values, and has
 * few states to look at. A walk may be preempted by another one on the same processor: there are
 * several places for it, which are claimed with plain atomic additions, as Linux 5.10 has no other.
 */
#pragma once

#include "lib/ids.bpf.h"
#include "lib/tracepoint.bpf.h"
#include "lib/unwind.h"

const volatile struct unwind_config unwind_config = {};
#define UNWIND_CLONE_THREAD 0x10000

/* One entry: UNWIND_PLACES. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__uint(value_size,
	       sizeof(struct
		      unwind_place)); /* of all of them: set by the frontend, as the sizes below */
} unwind_rules SEC(".maps");

/* Processes, and the number of their layout << UNWIND_LAYOUT_SHIFT, with the index of their interpreter. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} unwind_layouts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, struct unwind_stack);
} unwind_stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} unwind_misses SEC(".maps");

/* From 1 on: where processes have the frames of their interpreter. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct unwind_interpreter);
} unwind_interpreters SEC(".maps");

/* Code whose names were sent: by a hash of what it is, and of which process. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, __u8);
} unwind_named SEC(".maps");

struct unwind_walk {
	__u64 users;  /* who has it, or tries to: one at most has it */
	__u64 missed; /* a counter for ids */
	__u64 pc;
	/* Where the frame pointer is saved (0: it is not), the stack pointer, the frame pointer, the CFA. */
	__u64 from[UNWIND_FROMS];
	__u64 layout; /* with UNWIND_EXACT: the part of the rule's key beside the address */
	__u64 hash;
	__u64 leaf;	 /* the event's stack pointer */
	__u64 link;	 /* arm64: the event's return address */
	__u64 frame;	 /* of an interpreter: the next one */
	__u64 newest[2]; /* where it is in its code, if registers have it; and the newest frame */
	__u64 frame_record[UNWIND_RECORD / 8], code_record[UNWIND_CODE_WORDS];
	struct unwind_stack stack;
	struct unwind_interpreted interpreted;
};

enum { UNWIND_WALKS = 4 };

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, UNWIND_WALKS);
	__type(key, __u32);
	__type(value, struct unwind_walk);
} unwind_walks SEC(".maps");

static __always_inline void unwind_release(struct unwind_walk *walk)
{
	__sync_fetch_and_add(&walk->users, -1);
}

/* Where the frame pointer, stack pointer and program counter are in the event's registers. */
#if defined(__TARGET_ARCH_x86)
enum { UNWIND_KERNEL_STACK_BYTES = 16384 };
enum { UNWIND_FP_WORD = 4, UNWIND_PC_WORD = 16, UNWIND_SP_WORD = 19, UNWIND_REGS_BYTES = 168 };
#else
enum { UNWIND_KERNEL_STACK_BYTES = 16384 };
enum { UNWIND_FP_WORD = 29, UNWIND_PC_WORD = 32, UNWIND_SP_WORD = 31, UNWIND_REGS_BYTES = 272 };
enum { UNWIND_LINK_WORD = 30 };
#endif

/* A walk of this processor that nobody has; `number` is its own from now on. */
static __always_inline struct unwind_walk *unwind_claim(__u32 *number)
{
	for (__u32 i = 0; i < UNWIND_WALKS; i++) {
		struct unwind_walk *walk;

		*number = i;
		walk = bpf_map_lookup_elem(&unwind_walks, number);
		if (!walk)
			break;
		__sync_fetch_and_add(&walk->users, 1);
		if (*(volatile __u64 *)&walk->users == 1)
			return walk;
		unwind_release(walk);
	}
	return NULL;
}

static __always_inline long unwind_read(__u64 *to, __u64 at)
{
	return bpf_probe_read_user(to, sizeof(*to), (void *)at);
}

/* The frame pointer, read only when it is needed. Not 0: it cannot be. */
static __always_inline long unwind_load_fp(struct unwind_walk *walk)
{
	__u64 at = walk->from[UNWIND_AS_BEFORE];

	walk->from[UNWIND_AS_BEFORE] = 0;
	return at ? unwind_read(&walk->from[UNWIND_AT_FP], at) : 0;
}

static __always_inline struct unwind_rule *unwind_rule_of(struct unwind_place *places, __u64 key)
{
	struct unwind_place *place = &places[UNWIND_FIRST_PLACE(key)];

	if ((place->words[0] ^ place->words[1] ^ place->check) == key)
		return &place->rule;
	place = &places[UNWIND_OTHER_PLACE(key)];
	if ((place->words[0] ^ place->words[1] ^ place->check) == key)
		return &place->rule;
	return NULL;
}

/*
 * One frame up. Not 0: the walk is at its end. It is a function so that the loop around it is a plain one:
 * Linux 5.10 takes no loop that is closed by falling through, as compilers arrange larger ones.
 */
static __noinline int unwind_step(struct unwind_walk *walk, struct unwind_place *places,
				  __u32 frame)
{
	struct unwind_rule *rule = unwind_rule_of(places, walk->pc | walk->layout);
	__u64 cfa, exact;
	__u32 kind, from;

	walk->stack.end = UNWIND_MISS;
	if (!rule)
		return 1;
	kind = rule->kind;
	if (kind >= UNWIND_ENDS) {
		if (kind == UNWIND_ENDS)
			walk->stack.end = rule->end;
		return 1;
	}
	walk->stack.end = UNWIND_UNREADABLE;
	if (kind & UNWIND_FROM_FP && unwind_load_fp(walk))
		return 1;
	cfa = walk->from[UNWIND_AT_SP + (kind & UNWIND_FROM_FP)] + rule->cfa_offset;
	if (kind & UNWIND_READ && unwind_read(&cfa, cfa))
		return 1;
	walk->from[UNWIND_AT_CFA] = cfa;
	walk->from[UNWIND_AS_BEFORE] = walk->from[rule->fp % UNWIND_FROMS] + rule->fp_offset;
	/* UNWIND_AT_CFA, or UNWIND_AT_SP of a signal */
	from = UNWIND_AT_CFA - (kind & UNWIND_SIGNAL) / 2;
	if (unwind_read(&walk->pc, walk->from[from] + rule->return_offset))
		return 1;
	walk->from[UNWIND_AT_SP] = cfa;
	exact = kind & UNWIND_SIGNAL;
	walk->layout = (walk->layout & ~UNWIND_EXACT) | exact << 61;
	walk->stack.end = UNWIND_WHOLE;
	walk->pc &= UNWIND_ADDRESS;
	if (!walk->pc)
		return 1;
	walk->stack.addresses[frame] = walk->pc;
	walk->stack.count = frame + 1;
	walk->hash = (walk->hash ^ walk->pc) * 0x9e3779b97f4a7c15;
	walk->hash ^= walk->hash >> 29;
	return 0;
}

/* The event's own frame, whose pc, sp and fp are set; at an entry its caller is the second one. */
static __always_inline void unwind_begin(struct unwind_walk *walk, __u32 start)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;
	__u64 *layout = bpf_map_lookup_elem(&unwind_layouts, &tgid);

	walk->layout = (layout ? *layout & ~UNWIND_ADDRESS : 0) | UNWIND_EXACT;
	walk->interpreted.interpreter = layout ? *layout & UNWIND_LAYOUT_INTERPRETER : 0;
	walk->stack.is_mixed = 0;
	walk->leaf = walk->from[UNWIND_AT_SP];
	walk->from[UNWIND_AS_BEFORE] = 0;
	walk->stack.addresses[0] = walk->pc;
	walk->stack.count = 1;
	walk->stack.end = layout ? UNWIND_WHOLE : UNWIND_MISS;
	walk->hash = walk->pc * 0x9e3779b97f4a7c15;
	if (start != UNWIND_AT_ENTRY || !layout)
		return;
#if defined(__TARGET_ARCH_x86)
	if (unwind_read(&walk->pc, walk->from[UNWIND_AT_SP])) {
		walk->stack.end = UNWIND_UNREADABLE;
		return;
	}
	walk->from[UNWIND_AT_SP] += sizeof(__u64);
#else
	walk->pc = walk->link;
#endif
	walk->pc &= UNWIND_ADDRESS;
	walk->layout &= ~UNWIND_EXACT;
	walk->stack.addresses[1] = walk->pc;
	walk->stack.count = 2;
	walk->hash = (walk->hash ^ walk->pc) * 0x9e3779b97f4a7c15;
}

/* In walk->stack, the whole stack, or what of it can be walked; its `end` is UNWIND_MISS where a rule is missing. */
static __always_inline void unwind_walk_up(struct unwind_walk *walk, __u32 start)
{
	__u32 all = 0;
	struct unwind_place *places = bpf_map_lookup_elem(&unwind_rules, &all);

	unwind_begin(walk, start);
	if (walk->stack.end || !places)
		return;
	for (__u32 frame = start == UNWIND_AT_ENTRY ? 2 : 1; frame < UNWIND_FRAMES; frame++)
		if (unwind_step(walk, places, frame))
			return;
	walk->stack.end = UNWIND_DEEP;
}

static __always_inline __u64 unwind_frame_word(const struct unwind_walk *walk, __u8 at)
{
	return walk->frame_record[at / 8 & (UNWIND_RECORD / 8 - 1)];
}

static __always_inline __u64 unwind_code_word(const struct unwind_walk *walk, __u8 at)
{
	return walk->code_record[at / 8];
}

/* Reads code; its hash. */
static __always_inline __u64 unwind_read_code(struct unwind_walk *walk,
					      const struct unwind_interpreter *in, __u64 code)
{
	__u64 *texts = &walk->code_record[UNWIND_TEXTS];

	texts[0] = texts[1] = 0;
	bpf_probe_read_user(walk->code_record, in->check_bytes & (UNWIND_RECORD - 1),
			    (void *)code + in->check_at);
	if (in->text_at) {
		unwind_read(&texts[0], unwind_code_word(walk, in->name_at) + in->text_hash_at);
		unwind_read(&texts[1], unwind_code_word(walk, in->file_at) + in->text_hash_at);
	}
	return unwind_check(in, walk->code_record);
}

/* Where in its code a frame is. */
static __always_inline __u64 unwind_position(struct unwind_walk *walk,
					     const struct unwind_interpreter *in, __u64 code)
{
	__u64 position = unwind_frame_word(walk, in->position_at);
	__u32 line = 0;

	if (walk->newest[0])
		position = walk->newest[0];
	walk->newest[0] = 0;
	if (in->line_at) {
		bpf_probe_read_user(&line, sizeof(line), (void *)position + in->line_at);
		return line;
	}
	position = (position & in->position_mask) - (code + in->code_start) * in->is_address;
	return position >> (in->position_shift & 1);
}

/* One frame of an interpreter. Not 0: there are no more. */
static __noinline int unwind_interpreted_step(struct unwind_walk *walk,
					      const struct unwind_interpreter *in)
{
	__u64 count = walk->interpreted.count, code, position = UNWIND_FRAME_NOWHERE, hash;
	__u8 mark, is_native;

	walk->interpreted.end = UNWIND_UNREADABLE;
	if (bpf_probe_read_user(walk->frame_record, in->frame_bytes & (UNWIND_RECORD - 1),
				(void *)walk->frame))
		return 1;
	walk->frame = unwind_frame_word(walk, in->previous_at);
	mark = ((__u8 *)walk->frame_record)[in->mark_at & (UNWIND_RECORD - 1)];
	if (mark >= in->shim_mark) {
		count -= mark == in->shim_mark;
		if (count < UNWIND_INTERPRETED)
			walk->interpreted.frames[count] |= mark == in->shim_mark;
		goto next;
	}
	code = unwind_frame_word(walk, in->code_at) & UNWIND_ADDRESS & ~7ULL;
	if (!code)
		goto next;
	walk->interpreted.end = UNWIND_DEEP;
	if (count >= UNWIND_INTERPRETED)
		return 1;
	hash = unwind_read_code(walk, in, code);
	is_native = unwind_is_native(in, walk->code_record);
	walk->interpreted.checks[count] = UNWIND_CHECK_OF(hash);
	walk->interpreted.count = count + 1;
	if (!is_native)
		position = unwind_position(walk, in, code);
	if (position > UNWIND_FRAME_NOWHERE)
		position = UNWIND_FRAME_NOWHERE;
	code = code << 17 | position << 1;
	code |= (in->ends | (mark >> (in->mark_shift & 7) & in->ends_marks)) & (is_native ^ 1);
	walk->interpreted.frames[count] = code;
	walk->hash = UNWIND_CHECK_NEXT(walk->hash ^ hash, code);
	walk->hash ^= walk->hash >> 29;
next:
	walk->interpreted.end = UNWIND_WHOLE;
	return !walk->frame;
}

/* The state of the current thread; 0: it has none, or it cannot be read. */
static __always_inline __u64 unwind_interpreter_state(const struct unwind_interpreter *in)
{
	__u64 ids = bpf_get_current_pid_tgid(), thread, state, at;
	void *task = (void *)bpf_get_current_task();
	__u32 key;

	if (in->is_global)
		return (__u32)ids == ids >> 32 ? in->key : 0;
	if (bpf_probe_read_kernel(&thread, sizeof(thread), task + in->thread_ptr_at) ||
	    bpf_probe_read_user(&key, sizeof(key), (void *)in->key))
		return 0;
	at = thread + in->values_at;
	if (key >= 32 && (key >= 1024 || unwind_read(&at, thread + in->blocks_at + key / 32 * 8)))
		return 0;
	return unwind_read(&state, at + key % 32 * 16 + 8) ? 0 : state;
}

/*
 * The newest frame of the thread's; not 0: it has none, or it cannot be read. In the loop, registers that the
 * loop keeps for this may have where in its code that frame is: x86-64's r15, if r14 has the frame.
 */
static __always_inline int unwind_interpreted_begin(struct unwind_walk *walk,
						    const struct unwind_interpreter *in, void *regs)
{
	__u64 state = unwind_interpreter_state(in);

	if (!state || unwind_read(&walk->frame, state + in->current_at))
		return 1;
	if (in->has_inner && unwind_read(&walk->frame, walk->frame + in->inner_at))
		return 1;
	walk->newest[0] = 0;
	if (walk->stack.addresses[0] - in->loop_at < in->loop_bytes &&
	    (bpf_probe_read_kernel(walk->newest, sizeof(walk->newest), regs) ||
	     walk->newest[1] != walk->frame))
		walk->newest[0] = 0;
	return !walk->frame;
}

static __noinline int unwind_interpreted(struct unwind_walk *walk, void *regs)
{
	__u32 index = walk->interpreted.interpreter;
	const struct unwind_interpreter *in = bpf_map_lookup_elem(&unwind_interpreters, &index);

	walk->interpreted.count = 0;
	if (!in || unwind_interpreted_begin(walk, in, regs))
		return 0;
	walk->interpreted.tgid =
		ids_current(unwind_config.pidns_device, unwind_config.pidns_inode) >> 32;
	for (__u32 i = 0; i < UNWIND_INTERPRETED_STEPS; i++)
		if (unwind_interpreted_step(walk, in))
			return 0;
	return 0;
}

/*
 * What a frame's code is called, if that was not sent yet. What cannot be read is empty: the frontend tries, too.
 * Not 0: there is no place.
 */
static __noinline int unwind_name(struct unwind_walk *walk, const struct unwind_interpreter *in,
				  __u32 frame)
{
	__u64 code, hash, key, owner_name = 0;
	struct unwind_code *sent;
	__u8 yes = 1;

	if (frame >= UNWIND_INTERPRETED)
		return 1;
	code = UNWIND_FRAME_CODE(walk->interpreted.frames[frame]);
	hash = unwind_read_code(walk, in, code);
	key = UNWIND_CHECK_NEXT(hash ^ code, walk->interpreted.tgid);
	if (bpf_map_lookup_elem(&unwind_named, &key))
		return 0;
	sent = bpf_ringbuf_reserve(&unwind_misses, sizeof(*sent), 0);
	if (!sent)
		return 1;
	sent->ts_ns = bpf_ktime_get_ns();
	sent->hash = hash;
	sent->code = code;
	sent->tgid = walk->interpreted.tgid;
	sent->interpreter = walk->interpreted.interpreter;
	sent->head = walk->code_record[0];
	sent->name = unwind_code_word(walk, in->name_at);
	sent->owner = unwind_code_word(walk, in->owner_at);
	sent->file = unwind_code_word(walk, in->file_at);
	sent->behind_file = unwind_code_word(walk, in->file_at + 8);
	unwind_read(&owner_name, sent->owner + in->owner_name_at);
	bpf_probe_read_user_str(sent->name_text, sizeof(sent->name_text),
				(void *)sent->name + in->text_at);
	bpf_probe_read_user_str(sent->owner_text, sizeof(sent->owner_text),
				(void *)owner_name + in->text_at);
	bpf_probe_read_user_str(sent->file_text, sizeof(sent->file_text),
				(void *)sent->file + in->text_at);
	bpf_ringbuf_submit(sent, 0);
	bpf_map_update_elem(&unwind_named, &key, &yes, BPF_ANY);
	return 0;
}

/* Of the newest frames, before the stack itself is sent: what lives longer can be read later. */
static __noinline int unwind_name_all(struct unwind_walk *walk)
{
	__u32 index = walk->interpreted.interpreter;
	const struct unwind_interpreter *in = bpf_map_lookup_elem(&unwind_interpreters, &index);

	if (!in || !in->text_at)
		return 0;
	for (__u32 frame = 0; frame < UNWIND_NAMED; frame++)
		if (frame >= walk->interpreted.count || unwind_name(walk, in, frame))
			return 0;
	return 0;
}

/*
 * Puts a miss with `bytes` of the stack into the buffer: from the event's own frame on, if the walk has
 * not gone far from it, else from where it has ended. Rows may name what was popped from below the
 * stack pointer.
 */
static __always_inline int unwind_send(struct unwind_walk *walk, void *regs, __u64 id, __u32 start,
				       __u64 from, const __u32 bytes)
{
	struct unwind_miss *miss;
	__u8 *copy;
	__u64 ids;

	miss = bpf_ringbuf_reserve(&unwind_misses, sizeof(*miss) + bytes, 0);
	if (!miss)
		return 0;
	unwind_load_fp(walk);
	ids = ids_current(unwind_config.pidns_device, unwind_config.pidns_inode);
	miss->ts_ns = bpf_ktime_get_ns();
	miss->id = id;
	miss->tgid = bpf_get_current_pid_tgid() >> 32;
	miss->shown_tgid = ids >> 32;
	miss->layout = (walk->layout & ~UNWIND_EXACT) >> UNWIND_LAYOUT_SHIFT;
	miss->is_exact = walk->layout >> 63;
	miss->start = start;
	miss->pc = walk->pc;
	miss->sp = walk->from[UNWIND_AT_SP];
	miss->fp = walk->from[UNWIND_AT_FP];
	from = (from - UNWIND_RED_ZONE) & ~(__u64)(UNWIND_CHUNK - 1);
	miss->copy_at = from;
	miss->copy_bytes = 0;
	bpf_probe_read_kernel(miss->registers, UNWIND_REGS_BYTES, regs);
	bpf_probe_read_kernel(&miss->stack, sizeof(miss->stack), &walk->stack);
	miss->interpreted.count = 0;
	if (walk->stack.is_mixed)
		bpf_probe_read_kernel(&miss->interpreted, sizeof(miss->interpreted),
				      &walk->interpreted);
	copy = (__u8 *)(miss + 1);
	for (__u32 at = 0; at < bytes; at += UNWIND_CHUNK) {
		if (bpf_probe_read_user(copy + at, UNWIND_CHUNK, (void *)(from + at)))
			break;
		miss->copy_bytes = at + UNWIND_CHUNK;
	}
	bpf_ringbuf_submit(miss, BPF_RB_FORCE_WAKEUP);
	return 1;
}

/* Where the stack ends above `from`, if that is not far; in pages. */
static __always_inline __u32 unwind_extent(__u64 from)
{
	__u32 pages = 1;

	for (; pages < UNWIND_LARGE / UNWIND_PAGE; pages++) {
		__u64 word, at = (from & ~(__u64)(UNWIND_PAGE - 1)) + pages * UNWIND_PAGE;

		if (unwind_read(&word, at))
			break;
	}
	return pages;
}

/* As much of the stack as there is; while many wait, less of it. */
static __noinline __u64 unwind_tell(struct unwind_walk *walk, void *regs, __u32 number, __u32 start)
{
	__u64 id = UNWIND_MISSED | (__u64)bpf_get_smp_processor_id() << 44 | (__u64)number << 40;
	__u64 waiting = bpf_ringbuf_query(&unwind_misses, BPF_RB_AVAIL_DATA), leaf, from;
	__u64 free = unwind_config.miss_bytes - waiting;
	__u32 bytes;
	int sent;

	if (!walk)
		return UNWIND_LOST;
	walk->missed++;
	id |= walk->missed & ((1ULL << 40) - 1);
	leaf = walk->leaf;
	from = walk->from[UNWIND_AT_SP] - leaf < UNWIND_MEDIUM ? leaf : walk->from[UNWIND_AT_SP];
	bytes = unwind_extent(from - UNWIND_RED_ZONE) * UNWIND_PAGE;
	if (free < unwind_config.miss_bytes / 4 && bytes > UNWIND_MEDIUM)
		bytes = UNWIND_MEDIUM;
	if (bytes <= UNWIND_SMALL || free < unwind_config.miss_bytes / 16)
		sent = unwind_send(walk, regs, id, start, from, UNWIND_SMALL);
	else if (bytes <= UNWIND_MEDIUM)
		sent = unwind_send(walk, regs, id, start, from, UNWIND_MEDIUM);
	else if (bytes <= UNWIND_MORE)
		sent = unwind_send(walk, regs, id, start, from, UNWIND_MORE);
	else
		sent = unwind_send(walk, regs, id, start, from, UNWIND_LARGE);
	return sent ? id : UNWIND_LOST;
}

/* The frames of an interpreter beside the stack `id`, which is not kept yet. Not 0: there is no place. */
static __noinline int unwind_keep_interpreted(struct unwind_walk *walk, __u64 id)
{
	__u64 key = id | UNWIND_ID_INTERPRETED;
	struct unwind_kept *kept;

	if (bpf_map_update_elem(&unwind_stacks, &key, &walk->interpreted, BPF_ANY))
		return 1;
	/* Misses need the place more. */
	if (bpf_ringbuf_query(&unwind_misses, BPF_RB_AVAIL_DATA) > unwind_config.miss_bytes / 16)
		return 0;
	kept = bpf_ringbuf_reserve(&unwind_misses, sizeof(*kept), 0);
	if (!kept)
		return 0;
	kept->ts_ns = bpf_ktime_get_ns();
	kept->id = id;
	bpf_probe_read_kernel(&kept->interpreted, sizeof(kept->interpreted), &walk->interpreted);
	bpf_ringbuf_submit(kept, BPF_RB_FORCE_WAKEUP);
	return 0;
}

/* The id of a stack that was walked, which is kept. */
static __always_inline __u64 unwind_keep(struct unwind_walk *walk, __u64 id, void *regs,
					 __u32 number, __u32 start)
{
	if (!(walk->stack.is_mixed && unwind_keep_interpreted(walk, id)) &&
	    !bpf_map_update_elem(&unwind_stacks, &id, &walk->stack, BPF_ANY))
		return id;
	if (unwind_config.copies_what_has_no_place)
		return unwind_tell(walk, regs, number, start);
	return UNWIND_NO_PLACE;
}

static __always_inline __u64 unwind_finish(struct unwind_walk *walk, void *regs, __u32 number,
					   __u32 start)
{
	__u64 id;

	walk->pc &= UNWIND_ADDRESS;
	unwind_walk_up(walk, start);
	if (walk->interpreted.interpreter) {
		unwind_interpreted(walk, regs);
		walk->stack.is_mixed = walk->interpreted.count > 0;
	}
	id = (walk->hash ^ walk->stack.end) & ~(UNWIND_MISSED | UNWIND_ID_INTERPRETED);
	if (id < UNWIND_FIRST_HASH)
		id += UNWIND_FIRST_HASH;
	if (walk->stack.end == UNWIND_MISS || !bpf_map_lookup_elem(&unwind_stacks, &id)) {
		if (walk->stack.is_mixed)
			unwind_name_all(walk);
		id = walk->stack.end == UNWIND_MISS ? unwind_tell(walk, regs, number, start)
						    : unwind_keep(walk, id, regs, number, start);
	}
	unwind_release(walk);
	return id;
}

/* At the first or the return instruction of a program's function: of uprobes, whose context is registers. */
static __noinline __attribute__((unused)) __u64 unwind_at_entry(void *ctx)
{
	__u64 *regs = ctx;
	__u32 number;
	struct unwind_walk *walk = unwind_claim(&number);

	if (!walk)
		return UNWIND_LOST;
	walk->pc = regs[UNWIND_PC_WORD];
	walk->from[UNWIND_AT_SP] = regs[UNWIND_SP_WORD];
	walk->from[UNWIND_AT_FP] = regs[UNWIND_FP_WORD];
#if !defined(__TARGET_ARCH_x86)
	walk->link = regs[UNWIND_LINK_WORD];
#endif
	return unwind_finish(walk, regs, number, UNWIND_AT_ENTRY);
}

/* `regs` are the registers that the current thread has in user space: of the kernel's memory. */
static __noinline __u64 unwind_by(void *regs)
{
	__u32 number;
	struct unwind_walk *walk = unwind_claim(&number);

	if (!walk)
		return UNWIND_LOST;
	if (!bpf_probe_read_kernel(&walk->pc, sizeof(__u64), regs + UNWIND_PC_WORD * 8) &&
	    !bpf_probe_read_kernel(&walk->from[UNWIND_AT_SP], sizeof(__u64),
				   regs + UNWIND_SP_WORD * 8) &&
	    !bpf_probe_read_kernel(&walk->from[UNWIND_AT_FP], sizeof(__u64),
				   regs + UNWIND_FP_WORD * 8) &&
	    walk->from[UNWIND_AT_SP])
		return unwind_finish(walk, regs, number, UNWIND_INSIDE);
	unwind_release(walk);
	return UNWIND_NONE;
}

/* Elsewhere in a program. */
static __always_inline __u64 unwind_inside(void *ctx)
{
	return unwind_by(ctx);
}

/* Where the kernel has saved the registers with which the current thread came from user space. */
static __always_inline void *unwind_saved_registers(void)
{
	__u64 stack;
	void *task;

	if (unwind_config.has_task_pt_regs)
		return (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	task = (void *)bpf_get_current_task();
	if (!unwind_config.task_stack_at ||
	    bpf_probe_read_kernel(&stack, sizeof(stack), task + unwind_config.task_stack_at))
		return NULL;
	return (void *)(stack + UNWIND_KERNEL_STACK_BYTES - sizeof(struct pt_regs));
}

/* In the kernel: tracepoints, functions, samples. */
static __always_inline __u64 unwind_from_kernel(void)
{
	return unwind_by(unwind_saved_registers());
}

/*
 * A forked process has its parent's layout. One that executes another program has another one, one that
 * has ended has none.
 */
SEC("?tp/task/task_newtask")
int unwind_fork(void *ctx)
{
	__u32 parent = bpf_get_current_pid_tgid() >> 32;
	__u32 child = tracepoint_u32(ctx, unwind_config.child_at);
	__u64 *layout;

	if (tracepoint_u64(ctx, unwind_config.flags_at) & UNWIND_CLONE_THREAD)
		return 0;
	layout = bpf_map_lookup_elem(&unwind_layouts, &parent);
	if (layout)
		bpf_map_update_elem(&unwind_layouts, &child, layout, BPF_ANY);
	return 0;
}

SEC("?tp/sched/sched_process_exec")
int unwind_exec(void *ctx)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;

	bpf_map_delete_elem(&unwind_layouts, &tgid);
	return 0;
}

SEC("?tp/sched/sched_process_free")
int unwind_free(void *ctx)
{
	__u32 ended = tracepoint_u32(ctx, unwind_config.freed_at);

	bpf_map_delete_elem(&unwind_layouts, &ended);
	return 0;
}
