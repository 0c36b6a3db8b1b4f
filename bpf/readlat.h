/* What crosses between readlat's programs and its frontend. */
#pragma once

#include "lib/filter.h"
#include "lib/histogram.h"

enum readlat_type { /* of the file that is read */
		    READLAT_UNKNOWN,
		    READLAT_REGULAR,
		    READLAT_DIRECTORY,
		    READLAT_SOCKET,
		    READLAT_PIPE,
		    READLAT_CHARACTER,
		    READLAT_BLOCK,
		    READLAT_ANONYMOUS,
};

/* Why a call is not counted: keys of readlat_lost. */
enum { READLAT_SLOTS_FULL, READLAT_CALLS_FULL, READLAT_LOST };

struct readlat_config {
	__u64 unit_ns; /* of the latencies */
	__u64 min_ns;  /* of those that are counted */
	__u8 bytes;    /* what was read instead of how long it took */
	__u8 failed;   /* failed calls too */
	__u8 by_process;
	__u8 by_call;
	__u8 pad[4];
};
ABI_SIZE(readlat_config, 24);

/* Whose values a slot of a histogram has; what was not asked for is 0. */
struct readlat_key {
	char comm[16];
	__u32 tgid;
	__u32 call; /* the system call's number + 1 */
	__u32 type;
	__u32 slot;
};
ABI_SIZE(readlat_key, 32);
