/*
 * Walks Perl's contexts as frames of an interpreter: see bpf/unwind/unwind.h.
 */
#pragma once

#include "bpf/unwind/unwind_walk.bpf.h"

enum {
	/* Words of an array's description (PERL_SI). */
	UNWIND_CONTEXTS_WORDS = 6, /* number of words to read */
	UNWIND_CONTEXTS = 1,	   /* the array */
	UNWIND_CONTEXTS_BEFORE,	   /* the next array in the list */
	UNWIND_CONTEXTS_LAST = 4,  /* index of the last context, or -1: 32 bits */
	UNWIND_CONTEXTS_CALL, /* lower half: index of the last call; upper: the array's purpose */
	UNWIND_CONTEXTS_OF_SORT = 3,
	UNWIND_CONTEXTS_AT_ONCE = 4,

	/* The first byte of a context. */
	UNWIND_CX_KIND = 15,
	UNWIND_CX_SORT_BLOCK = 0,
	UNWIND_CX_BLOCK = 2,
	UNWIND_CX_SUB = 9,
	UNWIND_CX_FORMAT,
	UNWIND_CX_EVAL,
	UNWIND_CX_HIDDEN = 0x80, /* the code in a regular expression, or an eval that is a try */
	/* Added to `kind` of a function without a return instruction: unwind_context_code(). */
	UNWIND_CX_RETURNS = 0x100,
};

/* Returns the position of a frame: its line and its enum unwind_context, from `mark`. */
static __always_inline __u64 unwind_context_position(struct unwind_walk *walk, __u64 line,
						     __u8 mark)
{
	if (line > UNWIND_CONTEXT_NO_LINE || walk->contexts.has_no_line)
		line = UNWIND_CONTEXT_NO_LINE;
	walk->contexts.has_no_line = 0;
	return line | (__u64)(mark >> 1) << UNWIND_CONTEXT_SHIFT;
}

/* Continues with the newest context of an array. */
static __always_inline long unwind_contexts(struct unwind_walk *walk,
					    const struct unwind_interpreter *in, __u64 described)
{
	const __u64 *words = walk->frame_record;

	if (bpf_probe_read_user(walk->frame_record, UNWIND_CONTEXTS_WORDS * 8, (void *)described))
		return 1;
	walk->list.end = words[UNWIND_CONTEXTS];
	walk->list.next = words[UNWIND_CONTEXTS] +
			  (__s32)words[UNWIND_CONTEXTS_LAST] * (__s64)in->context_bytes;
	walk->contexts.before = words[UNWIND_CONTEXTS_BEFORE];
	walk->contexts.last_call = words[UNWIND_CONTEXTS] +
				   (__s32)words[UNWIND_CONTEXTS_CALL] * (__s64)in->context_bytes;
	walk->contexts.in_sort = words[UNWIND_CONTEXTS_CALL] >> 32 == UNWIND_CONTEXTS_OF_SORT;
	walk->contexts.kind = UNWIND_CX_SORT_BLOCK;
	return 0;
}

static __always_inline long unwind_contexts_begin(struct unwind_walk *walk,
						  const struct unwind_interpreter *in, __u64 state)
{
	__u64 *newest = walk->list.newest;

	walk->contexts.may_not_have_begun = 0;
	walk->contexts.has_no_line = 0;
	walk->contexts.last_loop_end = UNWIND_INTERPRETED;
	newest[0] = 0;
	return unwind_read(&walk->contexts.statement, state + in->statement_at) ||
	       unwind_read(walk->list.read, state + in->current_at) ||
	       unwind_contexts(walk, in, walk->list.read[0]);
}

/* Call if the latest frame that seemed to end an interpreter loop does not end it. */
static __always_inline void unwind_contexts_go_on(struct unwind_walk *walk)
{
	__u64 last = walk->contexts.last_loop_end;

	if (last < UNWIND_INTERPRETED)
		walk->interpreted.frames[last] &= ~UNWIND_FRAME_ENDS;
}

/* Stores a frame that executes `code` and whose caller is at the statement `caller`. */
static __always_inline void unwind_context_found(struct unwind_walk *walk, __u64 code, __u64 caller,
						 __u8 kind, __u8 ends)
{
	__u64 newest = walk->interpreted.frames[0];

	/*
	 * The newest function may not have executed a statement yet, so its position may be its
	 * caller's: drop it, unless the caller is the same function.
	 */
	if (walk->contexts.may_not_have_begun && UNWIND_FRAME_CODE(newest) != (code & ~7ULL))
		walk->interpreted.frames[0] = newest | UNWIND_CONTEXT_NO_LINE << 1;
	walk->contexts.may_not_have_begun = !walk->interpreted.count &&
					    caller == walk->contexts.statement &&
					    kind == UNWIND_CONTEXT_FUNCTION;
	walk->list.read[0] = code;
	walk->list.newest[0] = walk->contexts.statement;
	walk->contexts.statement = caller;
	walk->list.mark = ends | kind << 1;
	if (ends)
		walk->contexts.last_loop_end = walk->interpreted.count;
}

/*
 * Returns whether Perl is just entering or leaving this context. Perl increments the index of the
 * last context before it writes the context, decrements it after it has left the context, and
 * reuses arrays. So an array that does not belong to a sort may contain an old block of a sort, and
 * a function or an eval may be above the last call. The caller of such a function is at the current
 * statement or at that of the context; if these differ, its line is not known.
 */
static __always_inline bool unwind_context_is_partial(struct unwind_walk *walk, __u64 word,
						      __u64 caller)
{
	__u64 kind = word & UNWIND_CX_KIND;
	bool is_call = kind == UNWIND_CX_SUB || kind == UNWIND_CX_FORMAT ||
		       (kind == UNWIND_CX_EVAL && !(word & UNWIND_CX_HIDDEN));

	if (!is_call)
		return kind == UNWIND_CX_SORT_BLOCK && !walk->contexts.in_sort;
	if (walk->contexts.last <= walk->contexts.last_call)
		return false;
	walk->contexts.has_no_line |= caller != walk->contexts.statement;
	return true;
}

/*
 * Stores the frame of the context that was read last, unless contexts of this kind are not shown.
 * Returns non-zero if the function is unreadable. A function that the last instruction of a block
 * has called has no return instruction, like a function for which the loop was called.
 */
static __always_inline long unwind_context_code(struct unwind_walk *walk,
						const struct unwind_interpreter *in)
{
	__u64 word = unwind_frame_word(walk, 0), caller = unwind_frame_word(walk, in->position_at);
	__u64 kind = word & UNWIND_CX_KIND, above = walk->contexts.kind,
	      code = walk->contexts.statement;
	__u8 is_hidden = !!(word & UNWIND_CX_HIDDEN), ends = 0;
	__u8 is_function = kind == UNWIND_CX_SUB || kind == UNWIND_CX_FORMAT;

	walk->contexts.kind = kind;
	if (unwind_context_is_partial(walk, word, caller))
		return 0;
	if (kind == UNWIND_CX_SORT_BLOCK || (is_function && is_hidden)) {
		if (above & UNWIND_CX_RETURNS)
			unwind_contexts_go_on(walk);
		unwind_context_found(walk, code, caller, UNWIND_CONTEXT_BLOCK, 1);
	} else if (kind == UNWIND_CX_EVAL && !is_hidden) {
		unwind_context_found(walk, code, caller, UNWIND_CONTEXT_EVAL, 0);
	} else if (is_function) {
		if (unwind_read(&code, unwind_frame_word(walk, in->code_at)))
			return 1;
		ends = !unwind_frame_word(walk, in->return_at);
		walk->contexts.kind |= ends * UNWIND_CX_RETURNS;
		unwind_context_found(walk, code, caller, UNWIND_CONTEXT_FUNCTION, ends);
	}
	return 0;
}

/*
 * Stores the frame of code outside of functions. The main program is a block. Without this block,
 * as in a thread and while the program is compiled, code outside of functions has no loop of its
 * own, and is shown with the oldest loop.
 */
static __always_inline void unwind_context_main(struct unwind_walk *walk)
{
	if (walk->contexts.kind != UNWIND_CX_BLOCK)
		unwind_contexts_go_on(walk);
	unwind_context_found(walk, walk->contexts.statement, 0, UNWIND_CONTEXT_MAIN, 1);
	walk->list.next = 0;
}

/* Like unwind_next_frame(). */
static __always_inline long unwind_next_context(struct unwind_walk *walk,
						const struct unwind_interpreter *in)
{
	walk->list.read[0] = 0;
	for (__u32 i = 0; i < UNWIND_CONTEXTS_AT_ONCE && !walk->list.read[0]; i++) {
		if (walk->list.next < walk->list.end) {
			if (walk->contexts.before)
				return unwind_contexts(walk, in, walk->contexts.before);
			unwind_context_main(walk);
			return 0;
		}
		if (bpf_probe_read_user(walk->frame_record, in->frame_bytes & (UNWIND_RECORD - 1),
					(void *)walk->list.next))
			return 1;
		walk->contexts.last = walk->list.next;
		walk->list.next -= in->context_bytes;
		if (unwind_context_code(walk, in))
			return 1;
	}
	return 0;
}
