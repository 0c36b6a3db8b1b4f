/* What crosses between gohttp's programs and its frontend besides the records of lib/event.h. */
#pragma once

#include "lib/event.h"

struct gohttp_config {
	__u64 wakeup_bytes; /* wake the reader when so much waits */
	__u64 pidns_device; /* count ids in this pid namespace; 0: the initial one */
	__u64 pidns_inode;
};
ABI_SIZE(gohttp_config, 24);
