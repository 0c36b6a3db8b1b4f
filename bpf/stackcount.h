/* The settings of stackcount's programs. */
#pragma once

#include "lib/stack_key.h"

/* Constants of one run: set before the object is loaded. */
struct stackcount_config {
	__u64 pidns_device; /* count ids in this pid namespace; 0: the initial one */
	__u64 pidns_inode;
	__u8 user_stack; /* at tracepoints; elsewhere there is nothing else */
	__u8 kernel_stack;
	__u8 pad[6];
};
ABI_SIZE(stackcount_config, 24);
