/*
 * Walks a user stack from frame to frame by the learned rules (bpf/unwind/unwind.bpf.h).
 *
 * The walk's state is in a map, not on the stack, so that the verifier does not track its values
 * and has few states to check. A walk may preempt another one on the same CPU, so each CPU has
 * several slots.
 */
#pragma once

#include "bpf/lib/claim.bpf.h"
#include "bpf/unwind/unwind.h"

const volatile struct unwind_config unwind_config = {};

/*
 * Has a single value, an array of UNWIND_SLOTS slots. The frontend sets the sizes of this map and
 * of those below.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__uint(value_size, sizeof(struct unwind_slot));
} unwind_rules SEC(".maps");

/* Process id -> number of its layout << UNWIND_LAYOUT_SHIFT | index of its interpreter. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} unwind_layouts SEC(".maps");

/*
 * Process id -> when the process last mapped a file, for processes in unwind_layouts that have done
 * so since. Another file may then be at the addresses of an earlier one, so this time is a part of
 * the stack's hash.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} unwind_mapped SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, struct unwind_stack);
} unwind_stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} unwind_misses SEC(".maps");

/* Unread misses, noted while there are many: see struct unwind_pending_miss. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct unwind_pending_miss);
} unwind_pending_miss SEC(".maps");

enum { UNWIND_WINDOW = 1024 }; /* bytes */

/* The frame that the walk has reached. */
struct unwind_frame {
	__u64 pc;
	/* What a rule may add to: address of the saved frame pointer (0: none), SP, FP, CFA. */
	__u64 bases[UNWIND_FROMS];
	__u64 layout; /* part of the rule's key, with UNWIND_EXACT */
	__u64 link;   /* arm64: the event's return address */
	__u64 regs;   /* address of the event's registers; 0: this frame had others */
};

/* The walk of the frames that an interpreter keeps in its memory. */
struct unwind_list {
	__u64 next;	 /* the next frame; 0: none */
	__u64 end;	 /* the end of an array of frames */
	__u64 read[2];	 /* scratch for values that were read: a BPF stack is small */
	__u64 newest[2]; /* position (0: not in a register) of the newest frame, and that frame */
	__u64 mark;	 /* of the frame that was read last */
};

/* The walk of Perl's frames, which are contexts (see enum unwind_context). */
struct unwind_contexts {
	__u64 statement;   /* the statement (COP) that the next frame executes */
	__u64 before;	   /* the next array in the list */
	__u64 last;	   /* the context that was read last */
	__u64 kind;	   /* its kind */
	__u64 last_call;   /* the array's newest context that is a function or an eval */
	__u64 in_sort;	   /* the array belongs to a sort */
	__u64 has_no_line; /* the line of the next frame is not known */
	/* The newest frame's function may not have begun: its position may be its caller's. */
	__u64 may_not_have_begun;
	__u64 last_loop_end; /* index of the latest frame that ends an interpreter loop */
};

/* What to send if a rule is missing. */
struct unwind_copied {
	__u64 next_id;	 /* a counter of all misses of this slot */
	__u64 hash;	 /* of the miss while many are unread; else 0 */
	__u64 bytes;	 /* how much of the stack to copy */
	__u64 far_at[2]; /* other parts of the stack to copy, see struct unwind_miss */
};

struct unwind_walk {
	__u64 users; /* bpf/lib/claim.bpf.h */
	__u64 hash;
	__u64 leaf; /* the event's stack pointer */
	struct unwind_frame frame;
	struct unwind_list list;
	struct unwind_contexts contexts;
	struct unwind_copied copied;
	__u64 frame_record[UNWIND_RECORD / 8], code_record[UNWIND_CODE_WORDS];
	/*
	 * The stack from the leaf on. One read of all this is cheaper than reading two words of it.
	 */
	__u64 window_end; /* first offset from leaf that is not in window; 0: window unreadable */
	__u64 window[UNWIND_WINDOW / 8];
	struct unwind_stack stack;
	struct unwind_interpreted interpreted;
};

enum { UNWIND_WALKS = 4, UNWIND_AT_ONCE = 4 };

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, UNWIND_WALKS);
	__type(key, __u32);
	__type(value, struct unwind_walk);
} unwind_walks SEC(".maps");

/* Indexes of words in the event's registers. */
#if defined(__TARGET_ARCH_x86)
enum { UNWIND_KERNEL_STACK_BYTES = 16384 };
enum { UNWIND_BYTECODE_WORD = 2 };  /* r13, in a JVM's interpreter */
enum { UNWIND_FUNCTION_WORD = 14 }; /* rdi, at the start of a function in V8 */
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

/* Returns a word of the interpreter's frame that was read last. */
static __always_inline __u64 unwind_frame_word(const struct unwind_walk *walk, __u8 at)
{
	return walk->frame_record[at / 8 & (UNWIND_RECORD / 8 - 1)];
}

static __always_inline long unwind_read_stack(const struct unwind_walk *walk, __u64 *to, __u64 at)
{
	__u64 offset = at - walk->leaf;

	if (offset >= walk->window_end || offset & 7)
		return unwind_read(to, at);
	*to = walk->window[offset / 8 & (UNWIND_WINDOW / 8 - 1)];
	return 0;
}

/*
 * Reads the frame pointer from where the last frame has saved it, unless it is known already.
 * Returns non-zero if it is unreadable.
 */
static __always_inline long unwind_load_fp(struct unwind_walk *walk)
{
	__u64 at = walk->frame.bases[UNWIND_AS_BEFORE];

	walk->frame.bases[UNWIND_AS_BEFORE] = 0;
	return at ? unwind_read_stack(walk, &walk->frame.bases[UNWIND_AT_FP], at) : 0;
}

/*
 * Reads the word `at` of the event's registers into the base UNWIND_AT_CFA. Returns non-zero if it
 * is not known here.
 */
static __always_inline long unwind_load_register(struct unwind_walk *walk, __u8 at)
{
	return !walk->frame.regs ||
	       bpf_probe_read_kernel(&walk->frame.bases[UNWIND_AT_CFA], sizeof(__u64),
				     (void *)walk->frame.regs + at * 8);
}

/*
 * Returns the rule of a key, or NULL. slot_mask is a constant, so that the verifier knows it: even
 * if no stacks are wanted, it checks global functions that call this, and then the map has a single
 * slot.
 */
static __always_inline struct unwind_rule *unwind_rule_of(struct unwind_slot *slots, __u64 key)
{
	struct unwind_slot *slot = &slots[UNWIND_FIRST_SLOT(key) & unwind_config.slot_mask];

	if ((slot->words[0] ^ slot->words[1] ^ slot->check) == key)
		return &slot->rule;
	slot = &slots[UNWIND_OTHER_SLOT(key) & unwind_config.slot_mask];
	if ((slot->words[0] ^ slot->words[1] ^ slot->check) == key)
		return &slot->rule;
	return NULL;
}

/*
 * Returns non-zero if a runtime has replaced the code of the rule. The code's number becomes a part
 * of the stack's hash, because the same addresses with other code are another stack.
 */
static __always_inline int unwind_is_replaced(struct unwind_walk *walk,
					      const struct unwind_rule *rule)
{
	__u64 at = (walk->frame.pc & ~3ULL) - rule->code_before * 4ULL;
	__u32 number;

	if (bpf_probe_read_user(&number, sizeof(number), (void *)at))
		return 1;
	walk->hash = UNWIND_CHECK_NEXT(walk->hash, number);
	return (__u16)number != rule->code_number;
}

/*
 * Adds a frame of a JVM's interpreter, which has the index `frame` in the stack. Returns non-zero
 * if there is no room.
 */
static __noinline int unwind_jit_frame(struct unwind_walk *walk, __u32 frame)
{
	__u64 *words = walk->frame_record, code, bytecode, count;

	words[0] = 0;
	words[(UNWIND_JIT_METHOD - UNWIND_JIT_BYTECODE) / 8] = 0;
	bpf_probe_read_user(words, UNWIND_JIT_BYTES,
			    (void *)walk->frame.bases[UNWIND_AT_FP] + UNWIND_JIT_BYTECODE);
	bytecode = words[0];
	code = words[(UNWIND_JIT_METHOD - UNWIND_JIT_BYTECODE) / 8] & UNWIND_ADDRESS & ~7ULL;
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

/*
 * Adds a frame of V8, which has the index `frame` in the stack, if it belongs to a function.
 * Returns non-zero if it does not, or if there is no room.
 */
static __noinline int unwind_jit_function(struct unwind_walk *walk, struct unwind_rule *rule,
					  __u32 frame)
{
	__u64 *words = walk->frame_record, *shared = &walk->code_record[0],
	      *name = &walk->code_record[1], *script = &walk->code_record[2], position, count;
	__u32 at = rule->end;

	if (bpf_probe_read_user(words, (UNWIND_V8_CONTEXT + 1) * sizeof(__u64),
				(void *)walk->frame.bases[UNWIND_AT_CFA] + UNWIND_V8_FRAME))
		return 1;
#if defined(__TARGET_ARCH_x86)
	if (rule->jit & UNWIND_JIT_REGISTER) {
		if (!walk->frame.regs ||
		    bpf_probe_read_kernel(&words[UNWIND_V8_FUNCTION], sizeof(__u64),
					  (void *)walk->frame.regs + UNWIND_FUNCTION_WORD * 8))
			return 1;
		words[UNWIND_V8_CONTEXT] = words[UNWIND_V8_FUNCTION];
	}
#endif
	if (!UNWIND_V8_IS_POINTER(words[UNWIND_V8_CONTEXT] & words[UNWIND_V8_FUNCTION] & 3) ||
	    unwind_read(shared, words[UNWIND_V8_FUNCTION] - 1 + UNWIND_V8_SHARED(at) * 8) ||
	    unwind_read(name, *shared - 1 + UNWIND_V8_NAME(at) * 8) ||
	    unwind_read(script, *shared - 1 + UNWIND_V8_SCRIPT(at) * 8))
		return 1;
	position = words[UNWIND_V8_POSITION];
	if (!(rule->jit & UNWIND_JIT_POSITION) || (__u32)position ||
	    position >> 32 > UNWIND_V8_NOWHERE)
		position = UNWIND_V8_NOWHERE << 32;
	position = (*shared & UNWIND_ADDRESS & ~7ULL) << 17 | UNWIND_V8_CHECK(*name, *script) |
		   position >> 32;
	walk->hash = UNWIND_CHECK_NEXT(walk->hash ^ *name, position);
	count = walk->interpreted.count;
	if (count >= UNWIND_INTERPRETED)
		return 1;
	walk->interpreted.checks[count] = frame | UNWIND_CHECK_V8;
	walk->interpreted.frames[count] = position;
	walk->interpreted.count = count + 1;
	return 0;
}

/*
 * Goes up one frame. Returns non-zero at the end of the walk. Not inlined, so that the loop around
 * it stays simple: Linux 5.10 refuses loops that are closed by falling through, which compilers
 * generate for larger ones.
 */
static __noinline int unwind_step(struct unwind_walk *walk, struct unwind_slot *slots, __u64 frame)
{
	struct unwind_rule *rule = unwind_rule_of(slots, walk->frame.pc | walk->frame.layout);
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
	/*
	 * The base is UNWIND_AT_CFA, into which unwind_load_register() has read, or UNWIND_AT_FP,
	 * or UNWIND_AT_SP.
	 */
	from = UNWIND_AT_SP + (kind & UNWIND_FROM_FP) + (kind & UNWIND_FROM_REGISTER) / 8;
	cfa = walk->frame.bases[from & (UNWIND_FROMS - 1)] + rule->cfa_offset;
	if (kind & UNWIND_READ) {
		if (unwind_read(&cfa, cfa))
			return 1;
		cfa += rule->end;
	}
	walk->stack.jit |= rule->jit;
	walk->frame.bases[UNWIND_AT_CFA] = cfa;
	if (rule->jit & UNWIND_JIT_FRAME)
		unwind_jit_frame(walk, frame - 1);
	if (rule->jit & UNWIND_JIT_FUNCTION)
		unwind_jit_function(walk, rule, frame - 1);
	walk->frame.bases[UNWIND_AS_BEFORE] =
		walk->frame.bases[rule->fp % UNWIND_FROMS] + rule->fp_offset;
	/* The base is UNWIND_AT_CFA, or UNWIND_AT_SP for a signal, or UNWIND_AT_FP. */
	from = UNWIND_AT_CFA - (kind & UNWIND_SIGNAL) / 2 - (kind & UNWIND_NEAR_FP) / 8;
	if (unwind_read_stack(walk, &walk->frame.pc, walk->frame.bases[from] + rule->return_offset))
		return 1;
	walk->frame.bases[UNWIND_AT_SP] = cfa;
	exact = kind & UNWIND_SIGNAL;
	walk->frame.regs &= exact / UNWIND_SIGNAL - 1;
	walk->frame.layout = (walk->frame.layout & ~UNWIND_EXACT) | exact << 61;
	walk->stack.end = UNWIND_WHOLE;
	walk->frame.pc &= UNWIND_ADDRESS;
	if (!walk->frame.pc)
		return 1;
	/*
	 * A mask instead of the known bound: Linux 5.10's verifier forgets bounds of spilled
	 * values.
	 */
	walk->stack.addresses[frame & UNWIND_FRAMES] = walk->frame.pc;
	walk->stack.count = frame + 1;
	walk->hash = (walk->hash ^ walk->frame.pc) * 0x9e3779b97f4a7c15;
	walk->hash ^= walk->hash >> 29;
	return 0;
}

/*
 * Begins with the event's own frame, whose pc, sp and fp are set; at a function's entry, adds its
 * caller.
 */
static __always_inline void unwind_begin(struct unwind_walk *walk, __u32 start)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;
	__u64 *layout = bpf_map_lookup_elem(&unwind_layouts, &tgid);
	__u64 *mapped_ns = bpf_map_lookup_elem(&unwind_mapped, &tgid);

	walk->frame.layout = (layout ? *layout & ~UNWIND_ADDRESS : 0) | UNWIND_EXACT;
	walk->interpreted.interpreter = layout ? *layout & UNWIND_LAYOUT_INTERPRETER : 0;
	walk->interpreted.count = 0;
	walk->stack.is_mixed = 0;
	walk->stack.jit = 0;
	walk->leaf = walk->frame.bases[UNWIND_AT_SP];
	walk->window_end = 0;
	if (layout && !bpf_probe_read_user(walk->window, UNWIND_WINDOW, (void *)walk->leaf))
		walk->window_end = UNWIND_WINDOW - 7;
	walk->frame.bases[UNWIND_AS_BEFORE] = 0;
	walk->stack.addresses[0] = walk->frame.pc;
	walk->stack.count = 1;
	walk->stack.end = layout ? UNWIND_WHOLE : UNWIND_MISS;
	walk->hash = (walk->frame.pc ^ (mapped_ns ? *mapped_ns : 0) << 16) * 0x9e3779b97f4a7c15;
	if (start != UNWIND_AT_ENTRY || !layout)
		return;
#if defined(__TARGET_ARCH_x86)
	if (unwind_read_stack(walk, &walk->frame.pc, walk->frame.bases[UNWIND_AT_SP])) {
		walk->stack.end = UNWIND_UNREADABLE;
		return;
	}
	walk->frame.bases[UNWIND_AT_SP] += sizeof(__u64);
#else
	walk->frame.pc = walk->frame.link;
#endif
	walk->frame.pc &= UNWIND_ADDRESS;
	walk->frame.layout &= ~UNWIND_EXACT;
	walk->stack.addresses[1] = walk->frame.pc;
	walk->stack.count = 2;
	walk->hash = (walk->hash ^ walk->frame.pc) * 0x9e3779b97f4a7c15;
}

/*
 * Goes up UNWIND_AT_ONCE frames in the walk `number`; the next frame has the index `first`. Returns
 * non-zero at the end of the walk. Global, like other functions below that have loops, so that the
 * verifier checks it once and not at each call.
 */
__noinline int unwind_some(__u32 number, __u32 first)
{
	__u64 frame = first;
	__u32 all = 0;
	struct unwind_walk *walk = bpf_map_lookup_elem(&unwind_walks, &number);
	struct unwind_slot *slots = bpf_map_lookup_elem(&unwind_rules, &all);

	if (!walk || !slots)
		return 1;
	for (__u32 i = 0; i < UNWIND_AT_ONCE; i++) {
		if (frame >= UNWIND_FRAMES) {
			walk->stack.end = UNWIND_DEEP;
			return 1;
		}
		if (unwind_step(walk, slots, frame++))
			return 1;
	}
	return 0;
}

/*
 * Walks the stack into walk->stack, as far as possible; its `end` is UNWIND_MISS if a rule is
 * missing.
 */
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
