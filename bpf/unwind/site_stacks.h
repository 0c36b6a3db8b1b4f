/*
 * Structures that bpf/unwind/site_stacks.bpf.h shares with the frontends of tools that count by
 * stacks.
 */
#pragma once

#include "bpf/unwind/stack_key.h"
#include "bpf/unwind/unwind.h"

/* Which stacks a tool's keys hold: constants of one run, set before the object is loaded. */
struct stack_choice {
	__u64 pidns_device; /* use the process ids of this pid namespace; 0: the initial one */
	__u64 pidns_inode;
	__u8 user;
	__u8 kernel;
	__u8 process; /* record the process even without a user stack */
	__u8 pad[5];
};
ABI_SIZE(stack_choice, 24);

/* A key of a generated main that counts by stacks. */
struct site_stacks_key {
	__u64 own; /* 8 bytes of the tool, such as a site or a histogram's slot */
	struct stack_key stacks;
};
ABI_SIZE(site_stacks_key, 32);
