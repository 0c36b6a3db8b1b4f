/*
 * From frame to frame of a user stack by the rules that were learned (lib/unwind.bpf.h).
 *
 * The walk's state is in a map, not on the stack: so the verifier does not follow its values, and has
 * few states to look at. A walk may be preempted by another one on the same processor: there are
 * several places for it.
 */
#pragma once

#include "lib/claim.bpf.h"
#include "lib/unwind.h"

const volatile struct unwind_config unwind_config = {};

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

struct unwind_walk {
	__u64 users;  /* lib/claim.bpf.h */
	__u64 missed; /* a counter for ids */
	__u64 pc;
	/* Where the frame pointer is saved (0: it is not), the stack pointer, the frame pointer, the CFA. */
	__u64 from[UNWIND_FROMS];
	__u64 layout; /* with UNWIND_EXACT: the part of the rule's key beside the address */
	__u64 hash;
	__u64 leaf;	  /* the event's stack pointer */
	__u64 link;	  /* arm64: the event's return address */
	__u64 frame;	  /* of an interpreter: the next one */
	__u64 frames_end; /* where there are no more */
	__u64 read[2];	  /* what was read last: a program's stack is short */
	__u64 newest[2];  /* where it is in its code, if registers have it; and the newest frame */
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

/* Where the frame pointer, stack pointer and program counter are in the event's registers. */
#if defined(__TARGET_ARCH_x86)
enum { UNWIND_KERNEL_STACK_BYTES = 16384 };
enum { UNWIND_FP_WORD = 4, UNWIND_PC_WORD = 16, UNWIND_SP_WORD = 19, UNWIND_REGS_BYTES = 168 };
#else
enum { UNWIND_KERNEL_STACK_BYTES = 16384 };
enum { UNWIND_FP_WORD = 29, UNWIND_PC_WORD = 32, UNWIND_SP_WORD = 31, UNWIND_REGS_BYTES = 272 };
enum { UNWIND_LINK_WORD = 30 };
#endif

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
