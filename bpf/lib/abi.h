/* Lets user space and BPF programs share structures: fixed-width types, and checked sizes. */
#pragma once

#ifdef __cplusplus
#include <linux/types.h>
#define ABI_SIZE(type, bytes)                                                                      \
	static_assert(sizeof(type) == (bytes),                                                     \
		      #type " must have the same size in user space and BPF")
#elif defined(__bpf__)
#define ABI_SIZE(type, bytes) _Static_assert(sizeof(struct type) == (bytes), #type)
#else
#include <linux/types.h>
#define ABI_SIZE(type, bytes) _Static_assert(sizeof(struct type) == (bytes), #type)
#endif
