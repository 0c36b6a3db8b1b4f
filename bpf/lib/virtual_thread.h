/*
 * Threads that a runtime schedules on those of the kernel: Java's virtual threads. A call may begin on one carrier and
 * end on another; what nests are the calls of one virtual thread.
 */
#pragma once

#include "abi.h"

/* Where a number of a virtual thread is expected. */
#define VIRTUAL_THREAD_NONE 0ULL /* the kernel's thread runs code of its own */
/* The call is one of the runtime's own between two threads: it begins in one and ends in the other. */
#define VIRTUAL_THREAD_BETWEEN (~0ULL)

/* In keys: tells the calls of a virtual thread from those of a thread of the kernel, whose number is the key. */
#define VIRTUAL_THREAD_KEY (1ULL << 63)

static inline __u64 virtual_thread_key(__u32 tgid, __u64 virtual_thread)
{
	return VIRTUAL_THREAD_KEY | (__u64)tgid << 32 | (__u32)virtual_thread;
}
