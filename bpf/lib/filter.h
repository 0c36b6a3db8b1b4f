/* Selects the processes to trace: constants of one run, set before the object is loaded. */
#pragma once

#include "bpf/lib/abi.h"

struct filter_config {
	__u64 pidns_device; /* process ids are those of this pid namespace; 0: the initial one */
	__u64 pidns_inode;
	__u32 tgid;	/* 0: any */
	__u32 not_tgid; /* the tracer itself */
	__u32 tid;	/* 0: any */
	__u32 uid;
	__u8 by_uid;
	__u8 by_targets; /* only processes in follow_targets */
	__u8 by_comm;	 /* only names in filter_comms */
	__u8 by_cgroup;	 /* only below filter_cgroup[0] */
	__u8 by_cgroups; /* only cgroups in follow_cgroups */
	__u8 pad[3];
};
ABI_SIZE(filter_config, 40);
