/*
 * How to walk the frames of an interpreter: structures shared with user space (see
 * struct unwind_interpreted in bpf/unwind/unwind.h).
 */
#pragma once

#include "bpf/lib/abi.h"

enum {
	UNWIND_RECORD = 256,		     /* larger than anything that we read at once */
	UNWIND_FLAGS_AT = UNWIND_RECORD - 8, /* in the buffer of a frame: after its bytes */
	UNWIND_CHECK_WORDS = 4,
};

/* How `key` of an interpreter leads to the state of a thread. */
enum unwind_state_by {
	/*
	 * The address of a pthread key. glibc keeps a thread's first values at `values_at` from the
	 * thread pointer, and more of them in blocks.
	 */
	UNWIND_STATE_BY_KEY,
	UNWIND_STATE_GLOBAL, /* the state itself: only the process's main thread has one */
	/*
	 * The address to which the dynamic linker wrote a module's number and an offset. They lead
	 * to the module's variables of the thread, which have a pointer to the state at
	 * `values_at`.
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
	__u64 key;	     /* enum unwind_state_by */
	__u64 loop_at;	     /* address of the loop; there, registers may be newer than memory */
	__u32 loop_bytes;
	__u32 thread_ptr_at; /* in the kernel's task_struct: the thread pointer */
	__u16 values_at, blocks_at;
	/*
	 * In the state: a pointer to the newest frame; with has_inner, a pointer to a structure
	 * that has the pointer to the newest frame at `inner_at`.
	 */
	__u16 current_at;
	__u16 inner_at;
	__u8 has_inner;
	__u8 state_by;	  /* enum unwind_state_by */
	__u8 frame_bytes; /* bytes to read of a frame; the next four are in it */
	__u8 previous_at, code_at, position_at, mark_at;
	/*
	 * A frame with this value at `mark_at` ends the loop that executes the newer frames. Frames
	 * with this value or a higher one are not shown.
	 */
	__u8 shim_mark;
	/*
	 * A frame is the loop's last one if the lowest bit is set in `ends`, or in `ends_marks` &
	 * mark >> mark_shift.
	 */
	__u8 ends, ends_marks;
	__u8 mark_shift;
	/*
	 * The position of a frame in its code is a number of bytes or, with `is_address`, an
	 * address, from which we subtract the code's address + `code_start`; we shift the result
	 * right by `position_shift`.
	 */
	__u8 is_address, position_shift;
	__u8 line_at;	  /* not 0: the position points to a structure with the line */
	__u8 check_at;	  /* in the code: where we begin to read it */
	__u8 check_bytes; /* bytes to read of the code; offsets in it count from check_at */
	__u8 has_native;  /* 1: the first byte may mark a C function, which has no position */
	/*
	 * The input of the hash: two words of the code, and UNWIND_CHECK_WORDS more; in C functions
	 * these are elsewhere.
	 */
	__u8 first_words_at, check_words_at, native_words_at;
	/*
	 * Not 0: offset of the text in a string; names are sent when their code is first seen: see
	 * unwind_code.
	 */
	__u8 text_at;
	__u8 name_at, owner_at; /* the owner has its name at `owner_name_at` */
	__u8 owner_name_at, file_at;
	__u8 text_hash_at; /* in a string: its hash, which we include in ours */
	__u16 code_start;
	__u16 statement_at; /* in the state, for contexts: the statement that is executed */
	/*
	 * Not 0: the distance from a frame to its caller's. The state begins with the address of
	 * the stack of frames and its length in words.
	 */
	__u8 stride;
	__u8 flags_at; /* not 0: a pointer to the frame's flags, which we copy to UNWIND_FLAGS_AT */
	__u8 body_at;  /* not 0: the frame's code points to a structure that has the code here */
	__u8 start_at; /* not 0: in the code: a pointer to its first instruction */
	__u8 is_swapped;   /* unwind_newest(): the first register has the frame */
	__u8 native_shift; /* the index of that bit in the first byte (see has_native) */
	/*
	 * Not 0: a frame without code is a C function's; the function is this far before the
	 * frame's flags.
	 */
	__u8 native_before;
	__u8 context_bytes; /* not 0: frames are contexts of this size, see below */
	__u8 return_at;	    /* in a context: 0 if the loop was called for it */
	__u8 pad;
};
ABI_SIZE(unwind_interpreter, 80);

/*
 * Perl has a context for each function, eval, block and loop that was entered; the newest one is
 * the last of an array. Arrays form a list, because Perl code that is called from C begins a new
 * array. A context has its caller's statement (the COP), which has the line. Code outside of a
 * function has no address of its own, so the frame has the COP as its code; its position has the
 * line and an unwind_context, the kind of the frame.
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
 * The description of a native function is shorter than `check_bytes`, and the page after it may be
 * unreadable: then we read only the bytes before that page.
 */
#define UNWIND_PAGE_LEFT(address) (4096 - ((address)&4095))
/* In code_record, the hashes of the code's name and file follow the code. */
enum { UNWIND_TEXTS = UNWIND_RECORD / 8, UNWIND_CODE_WORDS = UNWIND_TEXTS + UNWIND_CHECK_WORDS };

static inline __attribute__((always_inline)) __u8
unwind_is_native(const struct unwind_interpreter *in, const __u64 *code)
{
	return code[0] >> (in->native_shift & 7) & in->has_native & 1;
}

/* Returns the hash of `code`, which has UNWIND_CODE_WORDS. */
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
