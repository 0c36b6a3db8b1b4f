/* What crosses between ucalls's programs and its frontend. */
#pragma once

#include "lib/abi.h"

/* Of a method or a system call: the value of its key. */
struct ucalls_method {
	__u64 id; /* random: what stands for the key in the other maps */
	__u64 calls;
	__u64 time_ns; /* of those that returned; not of a call inside one of the same method */
};
ABI_SIZE(ucalls_method, 24);

/* Key of the histograms; their values are struct histogram_slot. */
struct ucalls_slot {
	__u64 id;
	__u32 slot;
	__u32 pad;
};
ABI_SIZE(ucalls_slot, 16);

/*
 * What a call's program measures: which virtual thread it is of (lib/virtual_thread.h), or, in languages that have none,
 * whether calls nest on the stack.
 */
#define UCALLS_NESTS_ON_STACK                                                                      \
	1ULL /* no virtual thread has this number: the first thread of all has */
