/* Structures that uflow's programs share with its frontend. */
#pragma once

#include "bpf/lib/abi.h"

/* A call or a return. The names of the class and the method follow. */
struct uflow_event {
	__u64 ts_ns; /* CLOCK_MONOTONIC, after the record was reserved */
	__u32 probe;
	__u32 layout; /* the layout of the names: an index in the program's layouts */
	__u32 tgid;
	__u32 tid;
	__u32 cpu;
	__u32 depth; /* of the call, from 1 */
	__u32 lost;  /* events of this thread that were lost just before this one */
	__u32 pad;
	__u64 virtual_thread; /* the one that made the call (bpf/runtimes/virtual_thread.h) */
};
ABI_SIZE(uflow_event, 48);

/* The state of a kernel thread that makes calls. */
struct uflow_thread {
	__u64 calls;	      /* since the start, also those of virtual threads */
	__u64 virtual_thread; /* of the current event */
	__u32 depth;	      /* its own calls under way */
	__u32 at;	      /* the call depth of the current event */
	__u32 lost;	      /* its own events that were lost since its last record */
	__u32 pad;
};
ABI_SIZE(uflow_thread, 32);

/* The state of a virtual thread with calls under way. */
struct uflow_virtual {
	__u32 depth;
	__u32 lost;
};
ABI_SIZE(uflow_virtual, 8);

enum {
	UFLOW_LOST,	  /* events for which the buffer was full */
	UFLOW_NO_THREAD,  /* events for which the map of threads was full */
	UFLOW_FORGOTTEN,  /* returns of virtual threads that their map has dropped */
	UFLOW_UNREADABLE, /* events whose virtual thread could not be read */
	UFLOW_REASONS,
	UFLOW_ENDED_CALLS = UFLOW_REASONS, /* calls of threads that have ended: not a loss */
	UFLOW_COUNTS,
};

/* Constants of one run. */
struct uflow_config {
	__u64 wakeup_bytes; /* wake the reader when this much is unread */
	__u64 pidns_device; /* process ids are those of this pid namespace; 0: the initial one */
	__u64 pidns_inode;
	__u32 max_depth; /* deeper calls are not shown */
	__u32 pad;
};
ABI_SIZE(uflow_config, 32);
