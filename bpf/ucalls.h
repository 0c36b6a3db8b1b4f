/* Structures that ucalls' programs share with its frontend. */
#pragma once

#include "bpf/lib/abi.h"

/* The totals of a method or a system call. */
struct ucalls_method {
	__u64 id; /* random; represents the key in the other maps */
	__u64 calls;
	__u64 time_ns; /* of calls that returned, except calls inside one of the same method */
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
 * `measured` of a call: the number of its virtual thread (bpf/runtimes/virtual_thread.h). In
 * languages without virtual threads, it is this value if calls nest on the stack. No virtual thread
 * has the number 1, because the first thread has it.
 */
#define UCALLS_NESTS_ON_STACK 1ULL
