/* Structures that profile's program shares with its frontend. */
#pragma once

#include "bpf/lib/filter.h"
#include "bpf/unwind/stack_key.h"
#include "bpf/unwind/unwind.h"

/* Constants of one run: set before the object is loaded. */
struct profile_config {
	__u8 user_stack;
	__u8 kernel_stack;
	__u8 idle; /* also count samples of idle CPUs */
	__u8 by_thread;
	__u8 pad[4];
};
ABI_SIZE(profile_config, 8);

/* Samples with the same key are counted together. */
struct profile_key {
	struct stack_key stack;
	__u32 tgid; /* in the user's pid namespace; set even without a user stack */
	__u32 tid;  /* 0: all threads */
	char comm[16];
};
ABI_SIZE(profile_key, sizeof(struct stack_key) + 24);
