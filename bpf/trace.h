/* What crosses between trace's programs and its frontend besides the records of lib/event.h. */
#pragma once

#include "lib/event.h"

/* Constants of one run: set before the object is loaded, so that what is off costs nothing. */
struct trace_config {
	__u64 wakeup_bytes; /* wake the reader when so much waits */
	__u64 pidns_device; /* count ids in this pid namespace; 0: the initial one */
	__u64 pidns_inode;
	__u8 user_stack;
	__u8 kernel_stack;
	__u8 pad[6];
};
ABI_SIZE(trace_config, 32);
