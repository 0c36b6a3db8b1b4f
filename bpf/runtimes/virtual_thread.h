/*
 * Threads that a runtime schedules on threads of the kernel: Java's virtual threads. A call may
 * begin on one carrier thread and end on another; calls nest within one virtual thread.
 */
#pragma once

#include "bpf/lib/abi.h"

/* Special values of a virtual thread's number. */
#define VIRTUAL_THREAD_NONE 0ULL /* the kernel's thread runs no virtual thread */
/*
 * For the runtime's own call that switches virtual threads: it begins in one and ends in another.
 */
#define VIRTUAL_THREAD_BETWEEN (~0ULL)

/* Marks the keys of virtual threads; the key of a kernel thread is its id. */
#define VIRTUAL_THREAD_KEY (1ULL << 63)

static inline __u64 virtual_thread_key(__u32 tgid, __u64 virtual_thread)
{
	return VIRTUAL_THREAD_KEY | (__u64)tgid << 32 | (__u32)virtual_thread;
}
