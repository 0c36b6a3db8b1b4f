/* What both halves of a tool need to share a structure: fixed-width types, and one size. */
#pragma once

#ifdef __cplusplus
#include <linux/types.h>
#define ABI_SIZE(type, bytes)                                                                      \
	static_assert(sizeof(type) == (bytes), #type " must be the same in both halves")
#elif defined(__bpf__)
#define ABI_SIZE(type, bytes) _Static_assert(sizeof(struct type) == (bytes), #type)
#else
#include <linux/types.h>
#define ABI_SIZE(type, bytes) _Static_assert(sizeof(struct type) == (bytes), #type)
#endif
