/* What crosses between profile's program and its frontend. */
#pragma once

#include "lib/filter.h"
#include "lib/stack_key.h"
#include "lib/unwind.h"

/* Constants of one run: set before the object is loaded. */
struct profile_config {
	__u8 user_stack;
	__u8 kernel_stack;
	__u8 idle; /* processors that have nothing to do, too */
	__u8 by_thread;
	__u8 pad[4];
};
ABI_SIZE(profile_config, 8);

/* Which samples are counted together. */
struct profile_key {
	struct stack_key stack;
	__u32 tgid; /* as the person sees it, also without a user stack */
	__u32 tid;  /* 0: of all threads */
	char comm[16];
};
ABI_SIZE(profile_key, sizeof(struct stack_key) + 24);
