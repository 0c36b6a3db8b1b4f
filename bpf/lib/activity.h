/* What ustat counts of each process. */
#pragma once

#include "lib/abi.h"

enum activity_count {
	ACTIVITY_METHODS,
	ACTIVITY_COLLECTIONS,
	ACTIVITY_OBJECTS,
	ACTIVITY_CLASSES,
	ACTIVITY_EXCEPTIONS,
	ACTIVITY_THREADS,
	ACTIVITY_COUNTS, /* how many there are */
};

struct activity_totals {
	__u64 counts[ACTIVITY_COUNTS];
	__u64 paused_ns; /* in collections */
	__u64 bytes;	 /* of the objects, where the runtime gives their sizes */
	char comm[16];	 /* of the thread that came first, on its CPU; else empty */
};
ABI_SIZE(activity_totals, 80);
