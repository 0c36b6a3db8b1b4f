/* What ustat's programs count for each process. */
#pragma once

#include "lib/abi.h"

enum ustat_count {
	USTAT_METHODS,
	USTAT_COLLECTIONS,
	USTAT_OBJECTS,
	USTAT_CLASSES,
	USTAT_EXCEPTIONS,
	USTAT_THREADS,
	USTAT_COUNTS, /* how many there are */
};

struct ustat_process {
	__u64 counts[USTAT_COUNTS];
	__u64 paused_ns; /* in collections */
	__u64 bytes;	 /* of the objects, where they are told */
};
ABI_SIZE(ustat_process, 64);
