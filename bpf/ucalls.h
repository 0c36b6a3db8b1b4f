/* Structures that ucalls' programs share with its frontend. */
#pragma once

#include "bpf/lib/abi.h"

/* The totals of a method or a system call. */
struct ucalls_method {
	__u64 id; /* random; stands for the method in the keys of other maps */
	__u64 calls;
	__u64 time_ns; /* of calls that returned, without calls inside one of the same method */
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
 * The argument `measured` of ucalls' C functions is the number of the call's virtual thread
 * (bpf/runtimes/virtual_thread.h). In languages without virtual threads, `measured` is this value
 * if calls nest on the stack. No virtual thread has the number 1, because the process's first
 * thread has it.
 */
#define UCALLS_NESTS_ON_STACK 1ULL
