/*
 * Walking user stacks by learned rules: structures shared with user space (see
 * bpf/unwind/unwind.bpf.h).
 */
#pragma once

#include "bpf/lib/abi.h"
#include "bpf/unwind/unwind_interpreter.h"

enum {
	UNWIND_FRAMES = 127,   /* the kernel's own default limit (perf_event_max_stack) */
	UNWIND_REGISTERS = 34, /* words of struct pt_regs: the most of any architecture */
	UNWIND_CHUNK = 1024,   /* we copy a stack in chunks, each of which may be unreadable */
	UNWIND_PAGE = 4096,
	UNWIND_RED_ZONE = 128,
	UNWIND_SMALL = 4096, /* the sizes of copies: from here to UNWIND_LARGE */
	UNWIND_MEDIUM = 8192,
	UNWIND_MORE = 16384,
	UNWIND_LARGE = 32768,
	UNWIND_FAR = 8192, /* bytes from each of UNWIND_FARS other addresses, with UNWIND_LARGE */
	UNWIND_FARS = 2,
	UNWIND_FAR_FRAMES = 32,	    /* how many frame pointers we follow to leave the copy */
	UNWIND_FAR_FRAME = 1 << 20, /* a larger distance to the next one is not a frame */
	UNWIND_THREAD = 1 << 26,    /* maximum size of a thread's stack */
};

/*
 * The id of a stack: one of these constants, or the key of the stack in unwind_stacks, which is a
 * hash of its addresses, of how it ends, and of the time at which its process last mapped a file.
 * An id with UNWIND_MISSED is the id of a record in unwind_misses, from which the frontend
 * completes the stack. If walks miss a rule on the same stack while that record is unread, their
 * events get the same id.
 */
#define UNWIND_NONE 0ULL /* there is no user stack */
#define UNWIND_FULL 1ULL /* unwind_stacks was full */
/* A rule was missing and unwind_misses was full; or too many walks ran at the same time. */
#define UNWIND_LOST 2ULL
#define UNWIND_FIRST_HASH 16ULL
#define UNWIND_MISSED (1ULL << 63)
/* A stack's id with this bit is the key in unwind_stacks of its struct unwind_interpreted. */
#define UNWIND_ID_INTERPRETED (1ULL << 62)

/* How a walk ended. */
enum unwind_end {
	UNWIND_WHOLE,
	UNWIND_DEEP,	   /* the stack has more than UNWIND_FRAMES frames */
	UNWIND_UNREADABLE, /* the stack's memory is unmapped, or not as rules expect it */
	UNWIND_NO_TABLE,   /* the walk has reached code for which no table has a rule */
	UNWIND_PROBED,	   /* a return probe of the kernel hides the caller */
	UNWIND_SHORT,	   /* while rules were learned, a copy was too short for this stack */
	UNWIND_MISS,	   /* a rule is missing; such a stack is never kept */
};

/*
 * How to go from a frame to its caller's. The CFA is the stack pointer after the return. Each bit
 * describes a part of this step, so that a walk needs few branches: each branch doubles the paths
 * that the verifier checks.
 */
#define UNWIND_FROM_FP 1 /* the CFA is relative to the frame pointer, else to the stack pointer */
#define UNWIND_READ 2	 /* the CFA is the word in memory at that address, plus `end` */
#define UNWIND_SIGNAL 4	 /* the return address is relative to the SP, else to the CFA */
#define UNWIND_NEAR_FP 8 /* the return address is relative to the frame pointer */
/*
 * The CFA is relative to another register, in which assembly code keeps the stack pointer with
 * which it was called: the word `end` of the event's struct pt_regs. This is valid only for
 * registers that no frame saves, and not for frames that a signal has interrupted, because these
 * had other registers than the event.
 */
#define UNWIND_FROM_REGISTER 16
enum unwind_kind {
	UNWIND_BY_SP = 0,	       /* CFA = stack pointer + cfa_offset */
	UNWIND_BY_FP = UNWIND_FROM_FP, /* CFA = frame pointer + cfa_offset */
	UNWIND_BY_SP_AT = UNWIND_READ, /* CFA = *(stack pointer + cfa_offset) + end */
	UNWIND_BY_FP_AT = UNWIND_FROM_FP | UNWIND_READ,
	/* The frame that the kernel makes for a signal's handler. */
	UNWIND_BY_SIGNAL = UNWIND_READ | UNWIND_SIGNAL,
	/*
	 * A frame that may have extended its caller's, and so stores the caller's stack pointer: a
	 * JVM's interpreter.
	 */
	UNWIND_BY_FRAME = UNWIND_FROM_FP | UNWIND_READ | UNWIND_NEAR_FP,
	UNWIND_BY_REGISTER = UNWIND_FROM_REGISTER, /* CFA = register + cfa_offset */
	UNWIND_ENDS = 32, /* there is no caller, or `end` is the reason why it is not known */
	UNWIND_BY_COPY,	  /* no rule describes it: the frontend unwinds this frame each time */
};

/*
 * The bases to which a rule may add an offset. `fp` of a rule is one of them: the caller's frame
 * pointer is saved at this base + fp_offset.
 */
enum unwind_from {
	UNWIND_AS_BEFORE, /* the frame does not save it: it is where the last frame saved it */
	UNWIND_AT_SP,
	UNWIND_AT_FP,
	UNWIND_AT_CFA,
	UNWIND_FROMS,
};

struct unwind_rule {
	__s32 cfa_offset;
	__s16 fp_offset;
	__s16 return_offset; /* the return address is at the CFA (see UNWIND_SIGNAL …) + this */
	__u8 kind;	     /* enum unwind_kind */
	__u8 fp;	     /* enum unwind_from */
	/* Parameter of UNWIND_ENDS, UNWIND_READ, UNWIND_FROM_REGISTER and UNWIND_JIT_FUNCTION. */
	__u8 end;
	__u8 jit; /* UNWIND_JIT … */
	/*
	 * If not 0, the rule is valid only while the 4-byte word that is this many such words
	 * before the rule's address has `code_number` in its low 16 bits. The word differs once
	 * other code has replaced this code.
	 */
	__u16 code_before;
	__u16 code_number;
};
ABI_SIZE(unwind_rule, 16);

/*
 * `made` of a rule. UNWIND_JIT: JIT code, which the runtime may replace at any time, so its names
 * have to be read soon. UNWIND_JIT_FRAME: the JVM's interpreter, whose frame has the method and
 * the position in its bytecodes.
 */
#define UNWIND_JIT 1
#define UNWIND_JIT_FRAME 2
#define UNWIND_JIT_METHOD (-24) /* from the frame pointer */
#define UNWIND_JIT_BYTECODE (-64)
#define UNWIND_JIT_BYTES 48 /* bytes to read of the frame */

/*
 * The frame may belong to a JavaScript function that V8 executes. Then it contains a pointer to the
 * function and, in builtin code (V8's interpreter), the position in the bytecodes: a small integer,
 * which V8 keeps in the upper half of a word. Garbage collections move functions, so the walk
 * itself reads the function's SharedFunctionInfo; `end` of the rule has the offsets of the fields,
 * in words.
 */
#define UNWIND_JIT_FUNCTION 4
#define UNWIND_JIT_POSITION 8  /* with UNWIND_JIT_FUNCTION: builtin code */
#define UNWIND_JIT_REGISTER 16 /* the function is in the event's rdi, not yet in the frame */
#define UNWIND_V8_FRAME (-56)  /* from the CFA; the following are words from there */
#define UNWIND_V8_POSITION 0
#define UNWIND_V8_FUNCTION 3
#define UNWIND_V8_CONTEXT 4 /* not a pointer in other kinds of frames */
/* Offsets in the function and in its SharedFunctionInfo, from `end` of the rule. */
#define UNWIND_V8_SHARED(at) ((at)&7)
#define UNWIND_V8_NAME(at) ((at) >> 3 & 7)
#define UNWIND_V8_SCRIPT(at) (UNWIND_V8_NAME(at) + ((at) >> 6))
#define UNWIND_V8_IS_POINTER(word) (((word)&3) == 1)

/*
 * The key of a rule: its address, the layout, and UNWIND_EXACT unless the address is a return
 * address. A layout is the number of a set of mapped files and their addresses, which processes may
 * share.
 */
#define UNWIND_ADDRESS ((1ULL << 48) - 1)
#define UNWIND_LAYOUT_SHIFT 48
#define UNWIND_LAYOUTS (1 << 15)
#define UNWIND_LAYOUT_INTERPRETER 0xffffULL /* bits of unwind_layouts: its index; 0: none */
#define UNWIND_EXACT (1ULL << 63)

/*
 * A slot for a rule. Slots are an array, in which lookups are cheaper than in a hash map: each key
 * has two slots, and its rule is in one of them. The array is a single value of a map, so that a
 * walk looks it up once. Writing a slot is not atomic, so `check` is the key ^ the words: a slot
 * that is half written matches no key.
 */
struct unwind_slot {
	union {
		struct unwind_rule rule;
		__u64 words[2];
	};
	__u64 check;
};
ABI_SIZE(unwind_slot, 24);
#define UNWIND_SLOT_BITS 17
#define UNWIND_SLOTS (1 << UNWIND_SLOT_BITS)
#define UNWIND_FIRST_SLOT(key) ((__u32)((key)*0x9e3779b97f4a7c15ULL >> (64 - UNWIND_SLOT_BITS)))
#define UNWIND_OTHER_SLOT(key) ((__u32)((key)*0xc2b2ae3d27d4eb4fULL >> (64 - UNWIND_SLOT_BITS)))

struct unwind_stack {
	__u32 count;
	__u16 end;
	__u8 is_mixed; /* the stack also has an unwind_interpreted */
	__u8 jit;      /* UNWIND_JIT …: the bits of all its rules */
	__u64 ts_ns;   /* when it was kept: its addresses belong to the mappings of that time */
	__u64 addresses[UNWIND_FRAMES]; /* the leaf first */
};
ABI_SIZE(unwind_stack, 1032);

/*
 * Frames of functions that an interpreter executes. Interpreters keep them in lists of their own:
 * the thread's state points to the newest frame, and each frame points to its caller's; or the
 * caller's frame is the next one in memory, up to the end of a stack. An unwind_interpreter has the
 * offsets for this. The evaluation loop, a C function, executes one or several of these frames; the
 * oldest of them has UNWIND_FRAME_ENDS. C functions may also have frames in the list. The frontend
 * reads names later, when other code may be at the same address. So `checks` has, for each frame,
 * some bits of a hash of the code's data, by which the frontend recognises other code.
 */
enum {
	UNWIND_INTERPRETED = 112,
	UNWIND_INTERPRETED_STEPS = 144, /* including frames that are not shown */
	UNWIND_NAMED = 48,		/* frames of a stack whose names we may send at once */
	UNWIND_INTERPRETERS = 256,
};

/*
 * A frame is a word: the address of its code, which is a multiple of 8 and below 2^47; the position
 * in the code (in units of 2 or 8 bytes, or the line); and UNWIND_FRAME_ENDS.
 */
#define UNWIND_FRAME_ENDS 1ULL
#define UNWIND_FRAME_NOWHERE ((1ULL << 19) - 1) /* the position is not known */
#define UNWIND_FRAME_CODE(frame) ((frame) >> 20 << 3)
#define UNWIND_FRAME_POSITION(frame) ((frame) >> 1 & UNWIND_FRAME_NOWHERE)

/*
 * The frames of a JVM's interpreter are on the stack itself, where the walk finds them: the code is
 * the Method, the position has the low bits of an address in its bytecodes, and the check has the
 * index of the frame in unwind_stack instead of bits of a hash. The same holds for V8, with
 * UNWIND_CHECK_V8 in the check: the code is the SharedFunctionInfo, and the lowest 20 bits are
 * UNWIND_V8_CHECK of two of its words and the position, or UNWIND_V8_NOWHERE.
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
	__u32 tgid; /* in the user's pid namespace */
	__u32 pad[3];
};
ABI_SIZE(unwind_interpreted, sizeof(struct unwind_stack));

/*
 * A record in unwind_misses that reports a newly stored stack, whose names the frontend has to read
 * soon.
 */
struct unwind_new_stack {
	__u64 ts_ns;
	__u64 id;
	struct unwind_interpreted interpreted;
	struct unwind_stack stack;
	__u32 tgid; /* in the user's pid namespace */
	__u32 pad;
};
ABI_SIZE(unwind_new_stack, 24 + 2 * 1032);

/*
 * A record in unwind_misses with the names of an interpreter's code, before the stacks that need
 * them. For interpreters that may free their functions at any time. Texts end with a NUL, or are
 * truncated.
 */
struct unwind_code {
	__u64 ts_ns;
	__u64 hash;
	__u64 code;
	__u64 head;		 /* the first 8 bytes that were read of the code */
	__u64 name, owner, file; /* pointers to the strings, or 0; C functions have no file */
	__u64 after_file;	 /* the 8 bytes after the pointer `file` in the code */
	__u32 tgid;		 /* in the user's pid namespace */
	__u32 interpreter;
	char name_text[256];
	char owner_text[256];
	char file_text[512];
};
ABI_SIZE(unwind_code, 72 + 1024);

enum unwind_start {
	UNWIND_AT_ENTRY, /* the return address is still where the call put it */
	UNWIND_INSIDE,
};

/*
 * A walk for which a rule was missing. `copy_bytes` of the stack follow, from address `copy_at` on;
 * if this is UNWIND_LARGE, then UNWIND_FAR bytes from each `far_at`. They are copied in chunks. A
 * chunk that was unreadable, because nothing has been written there yet, has no bit in `copied`.
 */
struct unwind_miss {
	__u64 ts_ns;
	__u64 id;
	__u32 tgid; /* in the initial pid namespace */
	__u32 shown_tgid;
	__u32 layout;
	__u32 start;	  /* enum unwind_start */
	__u64 pc, sp, fp; /* of the frame whose rule is missing */
	__u32 is_exact;	  /* pc is not a return address */
	__u32 copy_bytes;
	__u64 copied;
	__u64 copy_at; /* below the event's stack pointer, or below `sp` */
	__u64 far_at[UNWIND_FARS];
	__u64 registers[UNWIND_REGISTERS];     /* of the event: struct pt_regs */
	struct unwind_stack stack;	       /* the part that was walked, up to `pc` */
	struct unwind_interpreted interpreted; /* if the stack is mixed; else its `count` is 0 */
};
ABI_SIZE(unwind_miss, 96 + 272 + 2 * 1032);

/*
 * A miss that the frontend has not read yet. Its index in unwind_pending_miss is a hash, modulo
 * UNWIND_PENDING_MISSES, of all input on which the frontend's answer depends. Writing an entry is
 * not atomic, so `check` is that hash ^ the other words: an entry that is half written matches no
 * miss.
 */
struct unwind_pending_miss {
	__u64 id;
	__u64 at; /* a position in unwind_misses at or before its record */
	__u64 check;
};
ABI_SIZE(unwind_pending_miss, 24);
enum { UNWIND_PENDING_MISSES = 1024 };

/* Constants of one run, set before the object is loaded. Fields that end in _at are offsets. */
struct unwind_config {
	__u64 pidns_device; /* the user's pid namespace; 0: the initial one */
	__u64 pidns_inode;
	__u64 miss_bytes;	/* size of unwind_misses */
	__u32 freed_at;		/* in sched_process_free's record: the thread that is gone */
	__u32 task_stack_at;	/* in task_struct: the kernel stack; before Linux 5.15 */
	__u32 child_at;		/* in task_newtask's record: the new thread */
	__u32 flags_at;		/* in task_newtask's record: the flags of clone() */
	__u32 has_task_pt_regs; /* bpf_task_pt_regs() exists: since Linux 5.15 */
	__u32 copies_if_full;	/* send a copy instead of UNWIND_FULL if unwind_stacks is full */
	__u32 slot_mask;	/* of unwind_rules; 0 if no stacks are wanted */
	__u32 pad;
};
ABI_SIZE(unwind_config, 56);
