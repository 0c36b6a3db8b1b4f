/*
 * Stacks that the kernel side counts: the key, and what its ids mean. User stacks are walked and kept by
 * lib/unwind.bpf.h, those of the kernel by the kernel.
 */
#pragma once

#include "lib/abi.h"

enum {
	STACK_KEY_FRAMES = 127, /* the kernel's own default limit (perf_event_max_stack) */

	/* Instead of a kernel stack's id. Other negative ids are errors: the stack found no place. */
	STACK_KEY_NONE = -14, /* -EFAULT, as the kernel says it: there is no such stack */
	STACK_KEY_IDLE = -1,  /* instead of a process: none, a processor that has nothing to do */
	/* In an id: the stack is in the second map of stacks, of those that found no place in the first. */
	STACK_KEY_MORE = 1 << 30,
};

struct stack_key {
	__u64 user_id; /* see lib/unwind.h */
	__u64 caller;  /* that the walk in the kernel may have missed; 0: none */
	__u32 tgid; /* whose stacks they are; 0: it is not told, or not seen from this pid namespace */
	__s32 kernel_id;
};
ABI_SIZE(stack_key, 24);
