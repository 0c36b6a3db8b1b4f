/* What crosses between uflow's programs and its frontend. */
#pragma once

#include "lib/abi.h"

/* A call or a return; it is followed by the class and the method, as the program's layout says. */
struct uflow_event {
	__u64 ts_ns; /* CLOCK_MONOTONIC, taken after the record's place in the buffer was */
	__u32 probe;
	__u32 layout; /* of the names: which of the program's layouts */
	__u32 tgid;
	__u32 tid;
	__u32 cpu;
	__u32 depth; /* of the call, from 1 */
	__u32 lost;  /* so many events of this thread found no place just before this one */
	__u32 pad;
	__u64 virtual_thread; /* whose call it is (lib/virtual_thread.h) */
};
ABI_SIZE(uflow_event, 48);

/* Of a thread that makes calls. */
struct uflow_thread {
	__u64 calls;	      /* since the start, also those of virtual threads */
	__u64 virtual_thread; /* that this event is of */
	__u32 depth;	      /* calls of its own under way */
	__u32 at;	      /* the depth of the call that this event is of */
	__u32 lost;	      /* events of its own, since the last one that was not */
	__u32 pad;
};
ABI_SIZE(uflow_thread, 32);

/* Of a virtual thread with calls under way. */
struct uflow_virtual {
	__u32 depth;
	__u32 lost;
};
ABI_SIZE(uflow_virtual, 8);

enum {
	UFLOW_LOST,	 /* events that found no place */
	UFLOW_NO_THREAD, /* those of threads that found none */
	UFLOW_FORGOTTEN, /* returns of virtual threads that were forgotten */
	UFLOW_UNTOLD,	 /* events whose virtual thread could not be read */
	UFLOW_REASONS,
	UFLOW_ENDED_CALLS = UFLOW_REASONS, /* of threads that have ended: no loss */
	UFLOW_COUNTS,
};

/* Constants of one run. */
struct uflow_config {
	__u64 wakeup_bytes; /* wake the reader when so much waits */
	__u64 pidns_device; /* count ids in this pid namespace; 0: the initial one */
	__u64 pidns_inode;
	__u32 most_depth; /* deeper calls are not wanted */
	__u32 pad;
};
ABI_SIZE(uflow_config, 32);
