/* Structures that readlat's programs share with its frontend. */
#pragma once

#include "bpf/lib/filter.h"
#include "bpf/lib/histogram.h"

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

/* Why calls are not counted: keys of readlat_lost. */
enum { READLAT_SLOTS_FULL, READLAT_CALLS_FULL, READLAT_LOST };

struct readlat_config {
	__u64 unit_ns; /* of the latencies */
	__u64 min_ns;  /* shorter calls are not counted */
	__u8 bytes;    /* count bytes read instead of latencies */
	__u8 failed;   /* also count failed calls */
	__u8 by_process;
	__u8 by_call;
	__u8 pad[4];
};
ABI_SIZE(readlat_config, 24);

/* Key of a histogram's slot; fields that were not requested are 0. */
struct readlat_key {
	char comm[16];
	__u32 tgid;
	__u32 call; /* the system call's number + 1 */
	__u32 type;
	__u32 slot;
};
ABI_SIZE(readlat_key, 32);
