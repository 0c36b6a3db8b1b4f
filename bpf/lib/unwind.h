/* User stacks, walked by rules that are learned: what both halves know (lib/unwind.bpf.h). */
#pragma once

#include "lib/abi.h"

enum {
	UNWIND_FRAMES = 127,   /* the kernel's own default limit (perf_event_max_stack) */
	UNWIND_REGISTERS = 34, /* of struct pt_regs, as many as any machine has */
	UNWIND_CHUNK = 1024, /* a stack is copied in such pieces, each of which may be unreadable */
	UNWIND_PAGE = 4096,
	UNWIND_RED_ZONE = 128,
	UNWIND_SMALL = 4096,
	UNWIND_MEDIUM = 8192,
	UNWIND_MORE = 16384,
	UNWIND_LARGE = 32768,
	UNWIND_FAR = 8192, /* of each of UNWIND_FARS other places, with a large copy */
	UNWIND_FARS = 2,
	UNWIND_FAR_FRAMES =
		32, /* of so many frame pointers in the copy the next one is looked at */
	UNWIND_FAR_FRAME = 1 << 20,
	UNWIND_THREAD = 1 << 26, /* a thread's stack is no larger */
};

/*
 * The id of a stack: a hash of its addresses, of how it ends and of when its process has mapped a file last, by which
 * unwind_stacks has it; or one of these. An id with UNWIND_MISSED is that of a record in unwind_misses, from which the frontend
 * completes the stack. Events have the same one if the same stack was missed again while that record waited.
 */
#define UNWIND_NONE 0ULL     /* there is no user stack */
#define UNWIND_NO_PLACE 1ULL /* unwind_stacks is full */
/* A rule was missing, and unwind_misses was full; or too many walked at the same time. */
#define UNWIND_LOST 2ULL
#define UNWIND_FIRST_HASH 16ULL
#define UNWIND_MISSED (1ULL << 63)
/* With it, an id is that of a stack's unwind_interpreted, which is kept in unwind_stacks as well. */
#define UNWIND_ID_INTERPRETED (1ULL << 62)

/* How a walk ended. */
enum unwind_end {
	UNWIND_WHOLE,
	UNWIND_DEEP,	   /* there are more than UNWIND_FRAMES */
	UNWIND_UNREADABLE, /* the stack is not there, or not such a stack */
	UNWIND_NO_TABLE,   /* in code that nothing says how to unwind */
	UNWIND_PROBED,	   /* a return probe of the kernel's hides the caller */
	UNWIND_SHORT,	   /* so much could not be copied while rules were learned */
	UNWIND_MISS,	   /* never kept: a rule is missing */
};

/*
 * How to go from a frame to its caller's: the CFA is where the stack pointer is after the return. The bits say
 * what a walk does, which so has few branches: each of them doubles what the verifier looks at.
 */
#define UNWIND_FROM_FP                                                                             \
	1	      /* the CFA is counted from the frame pointer, else from the stack pointer */
#define UNWIND_READ 2 /* the CFA is what memory has there, plus `end` */
#define UNWIND_SIGNAL                                                                              \
	4 /* the return address is counted from the stack pointer, else from the CFA */
#define UNWIND_BESIDE_FP 8 /* the return address is counted from the frame pointer */
/*
 * The CFA is counted from another register, the word `end` of the event's: assembly keeps the stack pointer there that it was
 * called with. Only of registers that no frame saves; and what a signal has interrupted had others.
 */
#define UNWIND_FROM_REGISTER 16
enum unwind_kind {
	UNWIND_BY_SP = 0,	       /* CFA = stack pointer + cfa_offset */
	UNWIND_BY_FP = UNWIND_FROM_FP, /* CFA = frame pointer + cfa_offset */
	UNWIND_BY_SP_AT = UNWIND_READ, /* CFA = *(stack pointer + cfa_offset) + end */
	UNWIND_BY_FP_AT = UNWIND_FROM_FP | UNWIND_READ,
	/* The frame that the kernel makes for a signal's handler. */
	UNWIND_BY_SIGNAL = UNWIND_READ | UNWIND_SIGNAL,
	/* A frame whose caller's stack may have become longer for it. */
	UNWIND_BY_FRAME = UNWIND_FROM_FP | UNWIND_READ | UNWIND_BESIDE_FP,
	UNWIND_BY_REGISTER = UNWIND_FROM_REGISTER, /* CFA = register + cfa_offset */
	UNWIND_ENDS = 32, /* there is no caller; or `end` says why it cannot be told */
	UNWIND_BY_COPY,	  /* nothing as simple: the frontend does it, each time */
};

/* What a walk counts from, and `fp` of a rule: where the caller's frame pointer is, at this + fp_offset. */
enum unwind_from {
	UNWIND_AS_BEFORE, /* it has not been saved since */
	UNWIND_AT_SP,
	UNWIND_AT_FP,
	UNWIND_AT_CFA,
	UNWIND_FROMS,
};

struct unwind_rule {
	__s32 cfa_offset;
	__s16 fp_offset;
	__s16 return_offset; /* of the return address */
	__u8 kind;
	__u8 fp;
	__u8 end; /* of UNWIND_ENDS, UNWIND_READ, UNWIND_FROM_REGISTER; of UNWIND_MADE_FUNCTION: UNWIND_V8_… */
	__u8 made;
	/*
	 * Not 0: the rule is that of code that has this number. So many words of 4 bytes before the address there
	 * is another number by now if it was replaced by other code; then there is no rule.
	 */
	__u16 code_before;
	__u16 code_number; /* its low bits */
};
ABI_SIZE(unwind_rule, 16);

/*
 * Of a rule, `made`: the code is a JVM's, which may put other code in its place at any time; so its names have to
 * be read soon. And it is the JVM's interpreter: which method it executes, and where, is in the frame.
 */
#define UNWIND_MADE 1
#define UNWIND_MADE_FRAME 2
#define UNWIND_MADE_METHOD (-24) /* from the frame pointer */
#define UNWIND_MADE_BYTECODE (-64)
#define UNWIND_MADE_BYTES 48 /* that are read of it */

/*
 * Or the frame may be of a function in JavaScript, which V8 executes: then it has the function and, in builtin code, which
 * is V8's interpreter, the place in its bytecodes, a small integer, which V8 has in the upper half of a word. Functions are
 * moved by each collection, so the walk goes on to what they share: where, in words, is in `end` of the rule.
 */
#define UNWIND_MADE_FUNCTION 4
#define UNWIND_MADE_PLACE 8	/* with it: in builtin code */
#define UNWIND_MADE_REGISTER 16 /* with it: the function is in the event's rdi, not in the frame */
#define UNWIND_V8_FRAME (-56)	/* from the CFA */
#define UNWIND_V8_PLACE 0	/* words of the frame, from there on */
#define UNWIND_V8_FUNCTION 3
#define UNWIND_V8_CONTEXT 4	      /* or what kind of other frame it is, no pointer */
#define UNWIND_V8_SHARED(at) ((at)&7) /* in the function */
#define UNWIND_V8_NAME(at) ((at) >> 3 & 7)
#define UNWIND_V8_SCRIPT(at) (UNWIND_V8_NAME(at) + ((at) >> 6))
#define UNWIND_V8_IS_POINTER(word) (((word)&3) == 1)

/*
 * Rules are found by address, by layout, which numbers the different ways in which processes have their
 * files mapped, and by whether the address is exact, or one that a call returns to.
 */
#define UNWIND_ADDRESS ((1ULL << 48) - 1)
#define UNWIND_LAYOUT_SHIFT 48
#define UNWIND_LAYOUTS (1 << 15)
#define UNWIND_LAYOUT_INTERPRETER 0xffffULL /* of a process's entry in unwind_layouts; 0: none */
#define UNWIND_EXACT (1ULL << 63)

/*
 * Rules are in an array, whose lookups are cheaper than those of a hash map: each in one of the two
 * places that its key has. It is one entry of a map, so that a walk asks for it once. A place is not written at once: `check` is the key ^ the words, so that a rule that
 * is half written is that of no key.
 */
struct unwind_place {
	union {
		struct unwind_rule rule;
		__u64 words[2];
	};
	__u64 check;
};
ABI_SIZE(unwind_place, 24);
#define UNWIND_PLACE_BITS 17
#define UNWIND_PLACES (1 << UNWIND_PLACE_BITS)
#define UNWIND_FIRST_PLACE(key) ((__u32)((key)*0x9e3779b97f4a7c15ULL >> (64 - UNWIND_PLACE_BITS)))
#define UNWIND_OTHER_PLACE(key) ((__u32)((key)*0xc2b2ae3d27d4eb4fULL >> (64 - UNWIND_PLACE_BITS)))

struct unwind_stack {
	__u32 count;
	__u16 end;
	__u8 is_mixed; /* there is an unwind_interpreted of it, too */
	__u8 made;     /* UNWIND_MADE …: of any of its rules */
	__u64 ts_ns;   /* when it was kept: its addresses are those of what was mapped then */
	__u64 addresses[UNWIND_FRAMES]; /* the leaf first */
};
ABI_SIZE(unwind_stack, 1032);

/*
 * Frames of functions that an interpreter executes. Interpreters keep them in lists of their own: the
 * thread's state leads to the newest one, each leads to its caller's; or its caller's is the next one in memory,
 * up to the end of a stack. Where all that is, is said by an unwind_interpreter. The evaluation loop, a
 * function in C, executes one or several of them: the last of these has UNWIND_FRAME_ENDS. Functions in C may
 * have frames in the list, too. Names are read later; so that they are not those of other code that lies there
 * by then, each frame has some bits of a hash of what its code leads to.
 */
enum {
	UNWIND_INTERPRETED = 112,
	UNWIND_INTERPRETED_STEPS = 144, /* with frames that are not shown */
	UNWIND_NAMED = 48,		/* of so many frames names may be sent at once */
	UNWIND_INTERPRETERS = 256,
	UNWIND_RECORD = 256,		     /* what is read at once is shorter */
	UNWIND_FLAGS_AT = UNWIND_RECORD - 8, /* of a frame: behind what was read of it */
	UNWIND_CHECK_WORDS = 4,
};

/*
 * A frame is a word: the address of its code, which is a multiple of 8 and below 2^47, where in the code it
 * is (in units of 2 or 8 bytes, or the line), and UNWIND_FRAME_ENDS.
 */
#define UNWIND_FRAME_ENDS 1ULL
#define UNWIND_FRAME_NOWHERE ((1ULL << 19) - 1)
#define UNWIND_FRAME_CODE(frame) ((frame) >> 20 << 3)
#define UNWIND_FRAME_POSITION(frame) ((frame) >> 1 & UNWIND_FRAME_NOWHERE)

/*
 * Those of a JVM's interpreter are found on the stack itself, by the walk: their code is the Method, their place the low
 * bits of an address in its bytecodes, and instead of bits of a hash they have which of the stack's frames they are. So are
 * those of V8, with UNWIND_CHECK_V8: their code is what functions share, and the lowest 20 bits are UNWIND_V8_CHECK of two of
 * its words and the place, or UNWIND_V8_NOWHERE.
 */
#define UNWIND_CHECK_V8 0x80
#define UNWIND_V8_NOWHERE 0xffffULL
#define UNWIND_V8_CHECK(name, script)                                                              \
	(UNWIND_CHECK_NEXT(UNWIND_CHECK_NEXT(0ULL, name), script) >> 60 << 16)
#define UNWIND_V8_BITS(frame) ((frame) & ((1ULL << 20) - 1))
struct unwind_interpreted {
	__u32 count;
	__u16 end;
	__u16 interpreter; /* the index of the unwind_interpreter; 0: a JVM's */
	__u64 frames[UNWIND_INTERPRETED];
	__u8 checks[UNWIND_INTERPRETED];
	__u32 tgid; /* as it is shown */
	__u32 pad[3];
};
ABI_SIZE(unwind_interpreted, sizeof(struct unwind_stack));

/* What `key` of an interpreter is, and how it leads to the state of a thread. */
enum unwind_state_by {
	/* where a key is; glibc keeps a thread's values at `values_at` from the thread pointer, more in blocks */
	UNWIND_STATE_BY_KEY,
	UNWIND_STATE_GLOBAL, /* the state itself: there is one, that of the process's first thread */
	/* where the dynamic linker has put a module and an offset; there the thread has, at `values_at`, a pointer to it */
	UNWIND_STATE_BY_MODULE,
	UNWIND_STATE_BY_OFFSET, /* a distance from the thread pointer; a pointer to it is there */
};

struct unwind_interpreter {
	__u64 position_mask; /* 32 or 64 bits */
	__u64 key;
	__u64 loop_at; /* code in which registers have what is newer than memory, see below */
	__u32 loop_bytes;
	__u32 thread_ptr_at; /* where a task has its thread pointer */
	__u16 values_at, blocks_at;
	__u16 current_at; /* in the state: the newest frame, */
	__u16 inner_at;	  /* or what has it here */
	__u8 has_inner;
	__u8 state_by;	  /* enum unwind_state_by */
	__u8 frame_bytes; /* of which all the following are */
	__u8 previous_at, code_at, position_at, mark_at;
	__u8 shim_mark; /* a frame with this mark ends what comes before it; of higher ones are others: not shown */
	__u8 ends,
		ends_marks; /* a frame is the last one when there is a 1 in `ends`, or in `ends_marks` and its */
	__u8 mark_shift; /* mark >> mark_shift */
	/* Where in the code it is: a number, in bytes >> shift; or an address, from `code_start` behind the code's; */
	__u8 is_address, position_shift;
	__u8 line_at;	  /* or the number that an address has there */
	__u8 check_at;	  /* what is read of the code, from here on: */
	__u8 check_bytes; /* so much; the following are places in it */
	__u8 has_native; /* with a 1 in the first byte it is a function in C, which has no place in its code */
	/* What the hash is of: two words, and UNWIND_CHECK_WORDS. */
	__u8 first_words_at, check_words_at, native_words_at;
	/* If texts lie so far behind what points to them, names are sent when they are met first: see unwind_code. */
	__u8 text_at;
	__u8 name_at, owner_at; /* which has its name at `owner_name_at` */
	__u8 owner_name_at, file_at;
	__u8 text_hash_at; /* as texts: where each has its own hash, which is a part of ours */
	__u16 code_start;
	__u16 place_at; /* in the state: the place that is executed, of contexts */
	/* Not 0: so far behind a frame its caller's is. The state begins with where its stack is, and its length in words. */
	__u8 stride;
	__u8 flags_at; /* not 0: what the frame has there leads to its flags, which are then at UNWIND_FLAGS_AT */
	__u8 body_at;	   /* not 0: what the frame has as its code has the code here */
	__u8 start_at;	   /* not 0: the code has here where its first instruction is */
	__u8 is_swapped;   /* the registers: the first one has the frame */
	__u8 native_shift; /* of has_native, in the first byte */
	/* Not 0: a frame that is not shown and has no code is that of a function in C, which it has so far before its flags. */
	__u8 native_before;
	__u8 context_bytes; /* not 0: frames are contexts of so many bytes, see below */
	__u8 return_at;	    /* in a context: 0 when the loop was called for it */
	__u8 pad;
};
ABI_SIZE(unwind_interpreter, 80);

/*
 * Perl's contexts are what was entered: functions, evals, blocks, loops; the newest one is the last of an array. Such arrays are
 * in a list, as what C calls begins another one. A context has where its caller was (the COP), which has the line.
 * What is in no function of its own has that as its code; so the place, a line, also says what it is.
 */
enum unwind_context {
	UNWIND_CONTEXT_FUNCTION,
	UNWIND_CONTEXT_MAIN,
	UNWIND_CONTEXT_EVAL,
	UNWIND_CONTEXT_BLOCK, /* which a loop of its own executes: that of a sort, or of a regular expression */
};
#define UNWIND_CONTEXT_SHIFT 17
#define UNWIND_CONTEXT_NO_LINE ((1ULL << UNWIND_CONTEXT_SHIFT) - 1) /* and where there are more */

#define UNWIND_CHECK_NEXT(hash, word) (((hash) ^ (word)) * 0x9e3779b97f4a7c15ULL)
#define UNWIND_CHECK_OF(hash) ((__u8)((hash) >> 56))
/*
 * A native function is described by less than `check_bytes`, and may be the last thing before a page that cannot be read: then
 * what there is before that page is read.
 */
#define UNWIND_PAGE_LEFT(address) (4096 - ((address)&4095))
/* Behind the code are the hashes of its name and file. */
enum { UNWIND_TEXTS = UNWIND_RECORD / 8, UNWIND_CODE_WORDS = UNWIND_TEXTS + UNWIND_CHECK_WORDS };

static inline __attribute__((always_inline)) __u8
unwind_is_native(const struct unwind_interpreter *in, const __u64 *code)
{
	return code[0] >> (in->native_shift & 7) & in->has_native & 1;
}

/* Of what was read of the code: UNWIND_CODE_WORDS. */
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

/* In unwind_misses, too: a stack was kept whose names can be read now. */
struct unwind_kept {
	__u64 ts_ns;
	__u64 id;
	struct unwind_interpreted interpreted;
	struct unwind_stack stack;
	__u32 tgid; /* as it is shown */
	__u32 pad;
};
ABI_SIZE(unwind_kept, 24 + 2 * 1032);

/*
 * In unwind_misses, too, and before stacks that have it: code of an interpreter whose functions may go at any
 * time. Texts end with a NUL, or are cut.
 */
struct unwind_code {
	__u64 ts_ns;
	__u64 hash;
	__u64 code;
	__u64 head; /* its first 8 bytes */
	__u64 name, owner,
		file;	   /* what points to these texts, or else 0; functions in C have no file */
	__u64 behind_file; /* 8 bytes */
	__u32 tgid;	   /* as it is shown */
	__u32 interpreter;
	char name_text[256];
	char owner_text[256];
	char file_text[512];
};
ABI_SIZE(unwind_code, 72 + 1024);

enum unwind_start {
	UNWIND_AT_ENTRY, /* the return address is where a call puts it */
	UNWIND_INSIDE,
};

/*
 * A walk that lacked a rule. It is followed by `copy_bytes` of the stack, from `copy_at` on, and, if these are UNWIND_LARGE,
 * UNWIND_FAR from each `far_at`: in chunks; those that could not be read, as nothing was written there yet, have no
 * bit in `copied`.
 */
struct unwind_miss {
	__u64 ts_ns;
	__u64 id;
	__u32 tgid; /* in the initial pid namespace */
	__u32 shown_tgid;
	__u32 layout;
	__u32 start;	  /* enum unwind_start */
	__u64 pc, sp, fp; /* of the frame whose rule is missing */
	__u32 is_exact;	  /* pc is no return address */
	__u32 copy_bytes;
	__u64 copied;
	__u64 copy_at; /* below the event's stack pointer, or else below `sp` */
	__u64 far_at[UNWIND_FARS];
	__u64 registers[UNWIND_REGISTERS];     /* of the event: struct pt_regs */
	struct unwind_stack stack;	       /* as far as it was walked, without `pc`'s callers */
	struct unwind_interpreted interpreted; /* if the stack is mixed; else its `count` is 0 */
};
ABI_SIZE(unwind_miss, 96 + 272 + 2 * 1032);

/*
 * One of the misses that wait for the frontend, by a hash of what its answer depends on. An entry is not written at once: `check` is
 * that hash ^ the other words, so that one that is half written is that of no miss.
 */
struct unwind_sent {
	__u64 id;
	__u64 at; /* the place of its record in unwind_misses, or before it: no record before `at` is its own */
	__u64 check;
};
ABI_SIZE(unwind_sent, 24);
enum { UNWIND_SENT = 1024 };

/* Constants of one run: set before the object is loaded. */
struct unwind_config {
	__u64 pidns_device; /* processes are shown as in this pid namespace; 0: the initial one */
	__u64 pidns_inode;
	__u64 miss_bytes;    /* of unwind_misses */
	__u32 freed_at;	     /* where sched_process_free has the thread that is gone */
	__u32 task_stack_at; /* where a task has its kernel stack, before Linux 5.15 */
	__u32 child_at;	     /* where task_newtask has the new thread, and the flags */
	__u32 flags_at;
	__u32 has_task_pt_regs;		/* bpf_task_pt_regs(), since Linux 5.15 */
	__u32 copies_what_has_no_place; /* in unwind_stacks, instead of UNWIND_NO_PLACE */
	__u32 last_place;		/* of unwind_rules; 0 where no stacks are wanted */
	__u32 pad;
};
ABI_SIZE(unwind_config, 56);
