/*
 * The key by which BPF programs count stacks, and the meaning of the ids in it.
 * bpf/unwind/unwind.bpf.h walks and stores user stacks; the kernel walks and stores its own stacks.
 */
#pragma once

#include "bpf/lib/abi.h"

enum {
	STACK_KEY_FRAMES = 127, /* the kernel's own default limit (perf_event_max_stack) */

	/*
	 * In place of a kernel stack's id. Other negative ids are errors: the stack could not be
	 * stored.
	 */
	STACK_KEY_NONE = -14, /* -EFAULT, the kernel's error if there is no such stack */
	STACK_KEY_IDLE = -1,  /* in place of a process id: the CPU was idle */
	/*
	 * Flag in an id: the stack is in stacks_more, because its slot in stacks_first was taken.
	 */
	STACK_KEY_MORE = 1 << 30,
};

struct stack_key {
	__u64 user_id; /* see bpf/unwind/unwind.h */
	__u64 caller;  /* the caller that the kernel's walk may have missed; 0: none */
	__u32 tgid;    /* the process; 0: not recorded, or outside of the user's pid namespace */
	__s32 kernel_id;
};
ABI_SIZE(stack_key, 24);
