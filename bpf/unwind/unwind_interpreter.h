/*
 * How to walk the frames of an interpreter: structures shared with user space (see
 * struct unwind_interpreted in bpf/unwind/unwind.h).
 */
#pragma once

#include "bpf/lib/abi.h"

enum {
	UNWIND_RECORD = 256,		     /* bytes of a buffer: more than any read needs */
	UNWIND_FLAGS_AT = UNWIND_RECORD - 8, /* in a frame's buffer: its flags, after its bytes */
	UNWIND_CHECK_WORDS = 4,
};

/* What unwind_interpreter.key is, and how it leads to the interpreter's state of a thread. */
enum unwind_state_by {
	/*
	 * The address of a pthread key. glibc keeps a thread's first 32 values at `values_at` from
	 * the thread pointer. The others are in blocks; pointers to these are at `blocks_at`.
	 */
	UNWIND_STATE_BY_KEY,
	UNWIND_STATE_GLOBAL, /* the state's address: only the main thread has one */
	/*
	 * The address of a module's number and an offset, which the dynamic linker wrote. They
	 * locate a thread-local variable; a pointer to the state is `values_at` bytes after it.
	 */
	UNWIND_STATE_BY_MODULE,
	UNWIND_STATE_BY_OFFSET, /* the distance from the thread pointer to a pointer to the state */
};

/*
 * Where an interpreter keeps the frames of a thread. Fields that end in _at are offsets, except
 * `loop_at`.
 */
struct unwind_interpreter {
	__u64 position_mask; /* 32 or 64 bits */
	__u64 key;	     /* see enum unwind_state_by */
	__u64 loop_at;	     /* the loop's address; in it, registers may be newer than memory */
	__u32 loop_bytes;
	__u32 thread_ptr_at; /* offset of the thread pointer in the kernel's task_struct */
	__u16 values_at, blocks_at;
	/*
	 * In the state: a pointer to the newest frame. With has_inner: a pointer to a structure
	 * that has this pointer at `inner_at`.
	 */
	__u16 current_at;
	__u16 inner_at;
	__u8 has_inner;
	__u8 state_by;	  /* enum unwind_state_by */
	__u8 frame_bytes; /* bytes to read of a frame; the next four fields are offsets in it */
	__u8 previous_at, code_at, position_at, mark_at;
	/*
	 * A frame with this value at `mark_at` separates two loops: the next newer frame is the
	 * oldest of its loop. Frames with this value or a higher one are not shown.
	 */
	__u8 shim_mark;
	/*
	 * A frame is the oldest of its loop if the lowest bit of `ends`, or of `ends_marks` &
	 * mark >> mark_shift, is set; `mark` is the value at `mark_at`.
	 */
	__u8 ends, ends_marks;
	__u8 mark_shift;
	/*
	 * The position of a frame in its code is a number of bytes. With `is_address`, it is an
	 * address, and we subtract the code's address + `code_start`. We shift the result right by
	 * `position_shift`.
	 */
	__u8 is_address, position_shift;
	__u8 line_at;	  /* not 0: the position points to a structure with the line */
	__u8 check_at;	  /* in the code: the offset from which we read it */
	__u8 check_bytes; /* bytes to read of the code; offsets in it count from check_at */
	__u8 has_native; /* 1: a bit of the code's first byte marks C functions; these have no position */
	/*
	 * What unwind_check() hashes: two words of the code, and UNWIND_CHECK_WORDS more, which are
	 * at `native_words_at` in C functions, at `check_words_at` in others.
	 */
	__u8 first_words_at, check_words_at, native_words_at;
	/*
	 * Not 0: the kernel side sends names (struct unwind_code) when it first sees their code,
	 * and this is the offset of the text in a string.
	 */
	__u8 text_at;
	__u8 name_at, owner_at; /* the owner's name is at `owner_name_at` in the owner */
	__u8 owner_name_at, file_at;
	__u8 text_hash_at; /* in a string: its hash, which we include in ours */
	__u16 code_start;
	__u16 statement_at; /* in the state, for contexts: a pointer to the current statement */
	/*
	 * Not 0: frames are in an array, and this is the distance from a frame to its caller's. The
	 * state begins with the array's address and its length in words.
	 */
	__u8 stride;
	__u8 flags_at; /* not 0: a pointer to the frame's flags, which we copy to UNWIND_FLAGS_AT */
	__u8 body_at; /* not 0: code_at points to a structure that has the pointer to the code here */
	__u8 start_at; /* not 0: in the code: a pointer to its first instruction */
	__u8 is_swapped; /* unwind_newest(): r15 has the frame and r14 the position, not the reverse */
	__u8 native_shift; /* the bit of has_native */
	/*
	 * Not 0: a frame without code is that of a C function; the pointer to the function is this
	 * many bytes before the frame's flags.
	 */
	__u8 native_before;
	__u8 context_bytes; /* not 0: frames are Perl's contexts (see below), of this size */
	__u8 return_at;	    /* in a context: the instruction to return to; 0: a loop began for it */
	__u8 pad;
};
ABI_SIZE(unwind_interpreter, 80);

/*
 * Perl has a context for each function, eval, block and loop that is being executed; the newest one
 * is the last of an array. If C calls Perl code, this begins a new array; the arrays form a list. A
 * context points to its caller's statement (the COP), which has the line. Code outside of functions
 * has no address of its own, so its frame has the address of the COP instead. The position of each
 * frame consists of the line and an enum unwind_context.
 */
enum unwind_context {
	UNWIND_CONTEXT_FUNCTION,
	UNWIND_CONTEXT_MAIN,
	UNWIND_CONTEXT_EVAL,
	UNWIND_CONTEXT_BLOCK, /* of a sort or a regular expression: a separate loop executes it */
};
#define UNWIND_CONTEXT_SHIFT 17
#define UNWIND_CONTEXT_NO_LINE ((1ULL << UNWIND_CONTEXT_SHIFT) - 1) /* unknown, or too large */

#define UNWIND_CHECK_NEXT(hash, word) (((hash) ^ (word)) * 0x9e3779b97f4a7c15ULL)
#define UNWIND_CHECK_OF(hash) ((__u8)((hash) >> 56))
/*
 * Bytes from `address` to the end of its page. The description of a C function is shorter than
 * `check_bytes`; if the page after it is unreadable, we read only the bytes before that page.
 */
#define UNWIND_PAGE_LEFT(address) (4096 - ((address)&4095))
/* In unwind_walk.code_record, the hashes of the code's name and file follow the code. */
enum { UNWIND_TEXTS = UNWIND_RECORD / 8, UNWIND_CODE_WORDS = UNWIND_TEXTS + UNWIND_CHECK_WORDS };

static inline __attribute__((always_inline)) __u8
unwind_is_native(const struct unwind_interpreter *in, const __u64 *code)
{
	return code[0] >> (in->native_shift & 7) & in->has_native & 1;
}

/* Returns the hash of `code`, an array of UNWIND_CODE_WORDS words. */
static inline __attribute__((always_inline)) __u64 unwind_check(const struct unwind_interpreter *in,
								const __u64 *code)
{
	__u8 is_native = unwind_is_native(in, code);
	__u8 words_at = is_native * in->native_words_at + !is_native * in->check_words_at;
	const __u64 *first = &code[in->first_words_at / 8], *words = &code[words_at / 8];
	__u64 hash = UNWIND_CHECK_NEXT(first[0], first[1]);

	hash = UNWIND_CHECK_NEXT(hash, code[UNWIND_TEXTS]);
	hash = UNWIND_CHECK_NEXT(hash, code[UNWIND_TEXTS + 1] * !is_native);

	for (__u32 i = 0; i < UNWIND_CHECK_WORDS; i++)
		hash = UNWIND_CHECK_NEXT(hash, words[i]);
	return hash;
}
