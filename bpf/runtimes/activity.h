/* The counters that ustat keeps for each process. */
#pragma once

#include "bpf/lib/abi.h"

enum activity_count {
	ACTIVITY_METHODS,
	ACTIVITY_COLLECTIONS,
	ACTIVITY_OBJECTS,
	ACTIVITY_CLASSES,
	ACTIVITY_EXCEPTIONS,
	ACTIVITY_THREADS,
	ACTIVITY_COUNTS, /* the number of counters */
};

struct activity_totals {
	__u64 counts[ACTIVITY_COUNTS];
	__u64 paused_ns; /* in collections */
	__u64 bytes;	 /* of the objects, if the runtime reports their sizes */
	char comm[16];	 /* of the first thread, in the value of its CPU; empty in others */
};
ABI_SIZE(activity_totals, 80);
