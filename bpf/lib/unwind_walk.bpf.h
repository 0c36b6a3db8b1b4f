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

/*
 * Those of these processes that have mapped a file since, and when they did last: another file may be where one was. So the same
 * addresses are another stack from then on.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} unwind_mapped SEC(".maps");

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

/* While many wait: which. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct unwind_sent);
} unwind_sent SEC(".maps");

enum { UNWIND_WINDOW = 1024 }; /* bytes */

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
	__u64 regs;	  /* where the event's registers are; 0: the frames to come had others */
	__u64 frame;	  /* of an interpreter: the next one */
	__u64 frames_end; /* where there are no more */
	__u64 read[2];	  /* what was read last: a program's stack is short */
	__u64 miss_hash;  /* of a miss while many wait; else 0 */
	__u64 copy_bytes; /* how much of the stack is to be copied */
	__u64 newest[2];  /* where it is in its code, if registers have it; and the newest frame */
	__u64 place;	  /* of contexts: where the one to come is */
	__u64 contexts_before; /* the list's next one */
	__u64 context;	       /* the one that was read last */
	__u64 last_call;       /* the last one that is a function or an eval */
	__u64 is_of_sort;      /* these contexts are in a sort */
	__u64 has_no_line;     /* the frame to come: its line is not known */
	__u64 mark;	       /* of the frame that was read last */
	__u64 may_begin;       /* the newest frame may not have begun: its place is its caller's */
	__u64 kind;	       /* of the context that was read last */
	__u64 last_end;	       /* which frame was the last one that ends what a loop executes */
	__u64 frame_record[UNWIND_RECORD / 8], code_record[UNWIND_CODE_WORDS];
	/* The stack from the leaf on: to read it at once is cheaper than to read two words of it. */
	__u64 window_end; /* behind the last place from the leaf at which a word is in it; 0: it cannot be read */
	__u64 window[UNWIND_WINDOW / 8];
	struct unwind_stack stack;
	struct unwind_interpreted interpreted;
};

enum { UNWIND_WALKS = 4, UNWIND_AT_ONCE = 8 };

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, UNWIND_WALKS);
	__type(key, __u32);
	__type(value, struct unwind_walk);
} unwind_walks SEC(".maps");

/* Where the frame pointer, stack pointer and program counter are in the event's registers. */
#if defined(__TARGET_ARCH_x86)
enum { UNWIND_KERNEL_STACK_BYTES = 16384 };
enum { UNWIND_BYTECODE_WORD = 2 };  /* r13, in a JVM's interpreter */
enum { UNWIND_FUNCTION_WORD = 14 }; /* rdi, where V8 begins to execute a function */
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

/* Of what was read of an interpreter's frame. */
static __always_inline __u64 unwind_frame_word(const struct unwind_walk *walk, __u8 at)
{
	return walk->frame_record[at / 8 & (UNWIND_RECORD / 8 - 1)];
}

static __always_inline long unwind_read_stack(const struct unwind_walk *walk, __u64 *to, __u64 at)
{
	__u64 place = at - walk->leaf;

	if (place >= walk->window_end || place & 7)
		return unwind_read(to, at);
	*to = walk->window[place / 8 & (UNWIND_WINDOW / 8 - 1)];
	return 0;
}

/* The frame pointer, read only when it is needed. Not 0: it cannot be. */
static __always_inline long unwind_load_fp(struct unwind_walk *walk)
{
	__u64 at = walk->from[UNWIND_AS_BEFORE];

	walk->from[UNWIND_AS_BEFORE] = 0;
	return at ? unwind_read_stack(walk, &walk->from[UNWIND_AT_FP], at) : 0;
}

/* The word `at` of the event's registers, as if it were the CFA. Not 0: it is not known here. */
static __always_inline long unwind_load_register(struct unwind_walk *walk, __u8 at)
{
	return !walk->regs || bpf_probe_read_kernel(&walk->from[UNWIND_AT_CFA], sizeof(__u64),
						    (void *)walk->regs + at * 8);
}

/*
 * The places' number is a constant that the verifier knows: it looks at global functions even if no stacks are wanted,
 * and then there is a single place.
 */
static __always_inline struct unwind_rule *unwind_rule_of(struct unwind_place *places, __u64 key)
{
	struct unwind_place *place = &places[UNWIND_FIRST_PLACE(key) & unwind_config.last_place];

	if ((place->words[0] ^ place->words[1] ^ place->check) == key)
		return &place->rule;
	place = &places[UNWIND_OTHER_PLACE(key) & unwind_config.last_place];
	if ((place->words[0] ^ place->words[1] ^ place->check) == key)
		return &place->rule;
	return NULL;
}

/*
 * Not 0: a JVM has put other code where the rule's was. A stack that other code has made is another one, whatever its
 * addresses are.
 */
static __always_inline int unwind_is_replaced(struct unwind_walk *walk,
					      const struct unwind_rule *rule)
{
	__u64 at = (walk->pc & ~3ULL) - rule->code_before * 4ULL;
	__u32 number;

	if (bpf_probe_read_user(&number, sizeof(number), (void *)at))
		return 1;
	walk->hash = UNWIND_CHECK_NEXT(walk->hash, number);
	return (__u16)number != rule->code_number;
}

/* A frame of a JVM's interpreter, `frame` of the stack. */
static __noinline int unwind_jit_frame(struct unwind_walk *walk, __u32 frame)
{
	__u64 *words = walk->frame_record, code, bytecode, count;

	words[0] = 0;
	words[(UNWIND_MADE_METHOD - UNWIND_MADE_BYTECODE) / 8] = 0;
	bpf_probe_read_user(words, UNWIND_MADE_BYTES,
			    (void *)walk->from[UNWIND_AT_FP] + UNWIND_MADE_BYTECODE);
	bytecode = words[0];
	code = words[(UNWIND_MADE_METHOD - UNWIND_MADE_BYTECODE) / 8] & UNWIND_ADDRESS & ~7ULL;
	walk->hash = UNWIND_CHECK_NEXT(walk->hash ^ bytecode, code);
	code = code << 17 | (bytecode & UNWIND_FRAME_NOWHERE) << 1;
	count = walk->interpreted.count;
	if (count >= UNWIND_INTERPRETED)
		return 1;
	walk->interpreted.checks[count] = frame;
	walk->interpreted.frames[count] = code;
	walk->interpreted.count = count + 1;
	return 0;
}

/* A frame of V8, `frame` of the stack, if it is a function's. */
static __noinline int unwind_jit_function(struct unwind_walk *walk, struct unwind_rule *rule,
					  __u32 frame)
{
	__u64 *words = walk->frame_record, *shared = &walk->code_record[0],
	      *name = &walk->code_record[1], *script = &walk->code_record[2], place, count;
	__u32 at = rule->end;

	if (bpf_probe_read_user(words, (UNWIND_V8_CONTEXT + 1) * sizeof(__u64),
				(void *)walk->from[UNWIND_AT_CFA] + UNWIND_V8_FRAME))
		return 1;
#if defined(__TARGET_ARCH_x86)
	if (rule->made & UNWIND_MADE_REGISTER) {
		if (!walk->regs ||
		    bpf_probe_read_kernel(&words[UNWIND_V8_FUNCTION], sizeof(__u64),
					  (void *)walk->regs + UNWIND_FUNCTION_WORD * 8))
			return 1;
		words[UNWIND_V8_CONTEXT] = words[UNWIND_V8_FUNCTION];
	}
#endif
	if (!UNWIND_V8_IS_POINTER(words[UNWIND_V8_CONTEXT] & words[UNWIND_V8_FUNCTION] & 3) ||
	    unwind_read(shared, words[UNWIND_V8_FUNCTION] - 1 + UNWIND_V8_SHARED(at) * 8) ||
	    unwind_read(name, *shared - 1 + UNWIND_V8_NAME(at) * 8) ||
	    unwind_read(script, *shared - 1 + UNWIND_V8_SCRIPT(at) * 8))
		return 1;
	place = words[UNWIND_V8_PLACE];
	if (!(rule->made & UNWIND_MADE_PLACE) || (__u32)place || place >> 32 > UNWIND_V8_NOWHERE)
		place = UNWIND_V8_NOWHERE << 32;
	place = (*shared & UNWIND_ADDRESS & ~7ULL) << 17 | UNWIND_V8_CHECK(*name, *script) |
		place >> 32;
	walk->hash = UNWIND_CHECK_NEXT(walk->hash ^ *name, place);
	count = walk->interpreted.count;
	if (count >= UNWIND_INTERPRETED)
		return 1;
	walk->interpreted.checks[count] = frame | UNWIND_CHECK_V8;
	walk->interpreted.frames[count] = place;
	walk->interpreted.count = count + 1;
	return 0;
}

/*
 * One frame up. Not 0: the walk is at its end. It is a function so that the loop around it is a plain one:
 * Linux 5.10 takes no loop that is closed by falling through, as compilers arrange larger ones.
 */
static __noinline int unwind_step(struct unwind_walk *walk, struct unwind_place *places,
				  __u64 frame)
{
	struct unwind_rule *rule = unwind_rule_of(places, walk->pc | walk->layout);
	__u64 cfa, exact;
	__u32 kind, from;

	walk->stack.end = UNWIND_MISS;
	if (!rule || (rule->code_before && unwind_is_replaced(walk, rule)))
		return 1;
	kind = rule->kind;
	if (kind >= UNWIND_ENDS) {
		if (kind == UNWIND_ENDS)
			walk->stack.end = rule->end;
		return 1;
	}
	if (kind & UNWIND_FROM_REGISTER && unwind_load_register(walk, rule->end))
		return 1;
	walk->stack.end = UNWIND_UNREADABLE;
	if (kind & UNWIND_FROM_FP && unwind_load_fp(walk))
		return 1;
	/* UNWIND_AT_CFA, where another register is, or UNWIND_AT_FP, or UNWIND_AT_SP */
	from = UNWIND_AT_SP + (kind & UNWIND_FROM_FP) + (kind & UNWIND_FROM_REGISTER) / 8;
	cfa = walk->from[from & (UNWIND_FROMS - 1)] + rule->cfa_offset;
	if (kind & UNWIND_READ) {
		if (unwind_read(&cfa, cfa))
			return 1;
		cfa += rule->end;
	}
	walk->stack.made |= rule->made;
	walk->from[UNWIND_AT_CFA] = cfa;
	if (rule->made & UNWIND_MADE_FRAME)
		unwind_jit_frame(walk, frame - 1);
	if (rule->made & UNWIND_MADE_FUNCTION)
		unwind_jit_function(walk, rule, frame - 1);
	walk->from[UNWIND_AS_BEFORE] = walk->from[rule->fp % UNWIND_FROMS] + rule->fp_offset;
	/* UNWIND_AT_CFA, or UNWIND_AT_SP of a signal, or UNWIND_AT_FP */
	from = UNWIND_AT_CFA - (kind & UNWIND_SIGNAL) / 2 - (kind & UNWIND_BESIDE_FP) / 8;
	if (unwind_read_stack(walk, &walk->pc, walk->from[from] + rule->return_offset))
		return 1;
	walk->from[UNWIND_AT_SP] = cfa;
	exact = kind & UNWIND_SIGNAL;
	walk->regs &= exact / UNWIND_SIGNAL - 1;
	walk->layout = (walk->layout & ~UNWIND_EXACT) | exact << 61;
	walk->stack.end = UNWIND_WHOLE;
	walk->pc &= UNWIND_ADDRESS;
	if (!walk->pc)
		return 1;
	/* As a mask, for the verifier: Linux 5.10 forgets the bound of what lies on the stack meanwhile. */
	walk->stack.addresses[frame & UNWIND_FRAMES] = walk->pc;
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
	__u64 *mapped_ns = bpf_map_lookup_elem(&unwind_mapped, &tgid);

	walk->layout = (layout ? *layout & ~UNWIND_ADDRESS : 0) | UNWIND_EXACT;
	walk->interpreted.interpreter = layout ? *layout & UNWIND_LAYOUT_INTERPRETER : 0;
	walk->interpreted.count = 0;
	walk->stack.is_mixed = 0;
	walk->stack.made = 0;
	walk->leaf = walk->from[UNWIND_AT_SP];
	walk->window_end = 0;
	if (layout && !bpf_probe_read_user(walk->window, UNWIND_WINDOW, (void *)walk->leaf))
		walk->window_end = UNWIND_WINDOW - 7;
	walk->from[UNWIND_AS_BEFORE] = 0;
	walk->stack.addresses[0] = walk->pc;
	walk->stack.count = 1;
	walk->stack.end = layout ? UNWIND_WHOLE : UNWIND_MISS;
	walk->hash = (walk->pc ^ (mapped_ns ? *mapped_ns : 0) << 16) * 0x9e3779b97f4a7c15;
	if (start != UNWIND_AT_ENTRY || !layout)
		return;
#if defined(__TARGET_ARCH_x86)
	if (unwind_read_stack(walk, &walk->pc, walk->from[UNWIND_AT_SP])) {
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

/*
 * Some frames up, from the `first`th one of the walk `number` on. Not 0: the walk is at its end. It is a global
 * function, as others below that have loops: the verifier looks at these once, and not each time that they are called.
 */
__noinline int unwind_some(__u32 number, __u32 first)
{
	__u64 frame = first;
	__u32 all = 0;
	struct unwind_walk *walk = bpf_map_lookup_elem(&unwind_walks, &number);
	struct unwind_place *places = bpf_map_lookup_elem(&unwind_rules, &all);

	if (!walk || !places)
		return 1;
	for (__u32 i = 0; i < UNWIND_AT_ONCE; i++) {
		if (frame >= UNWIND_FRAMES) {
			walk->stack.end = UNWIND_DEEP;
			return 1;
		}
		if (unwind_step(walk, places, frame++))
			return 1;
	}
	return 0;
}

/* In walk->stack, the whole stack, or what of it can be walked; its `end` is UNWIND_MISS where a rule is missing. */
static __always_inline void unwind_walk_up(struct unwind_walk *walk, __u32 number, __u32 start)
{
	unwind_begin(walk, start);
	if (walk->stack.end)
		return;
	for (__u32 frame = start == UNWIND_AT_ENTRY ? 2 : 1; frame <= UNWIND_FRAMES;
	     frame += UNWIND_AT_ONCE)
		if (unwind_some(number, frame))
			return;
}
