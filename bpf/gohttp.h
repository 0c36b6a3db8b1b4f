/* Structures that gohttp's programs share with its frontend, in addition to bpf/lib/event.h. */
#pragma once

#include "bpf/lib/event.h"

struct gohttp_config {
	__u64 wakeup_bytes; /* wake the reader when this much is unread */
	__u64 pidns_device; /* process ids are those of this pid namespace; 0: the initial one */
	__u64 pidns_inode;
};
ABI_SIZE(gohttp_config, 24);
