/* What stackcount's programs count, and by what. */
#pragma once

#include "lib/abi.h"

enum {
	STACKCOUNT_FRAMES = 127, /* the kernel's own default limit (perf_event_max_stack) */

	/* Instead of a stack's id. Other negative ids are errors: the stack found no place. */
	STACKCOUNT_NONE = -14, /* -EFAULT, as the kernel says it: there is no such stack */
	/* In an id: the stack is in stackcount_more_stacks. */
	STACKCOUNT_MORE = 1 << 30,
};

/* Constants of one run: set before the object is loaded. */
struct stackcount_config {
	__u64 pidns_device; /* count ids in this pid namespace; 0: the initial one */
	__u64 pidns_inode;
	__u8 user_stack; /* at tracepoints; elsewhere there is nothing else */
	__u8 kernel_stack;
	__u8 pad[6];
};
ABI_SIZE(stackcount_config, 24);

struct stackcount_key {
	__u64 caller; /* that the walk may have missed, of the kernel or the program; 0: none */
	__u32 tgid;   /* whose user stack it is; 0 without one */
	__s32 user_id;
	__s32 kernel_id;
	__u32 pad;
};
ABI_SIZE(stackcount_key, 24);
