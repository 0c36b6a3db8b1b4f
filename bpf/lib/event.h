/* The start of every event record, whatever probe it comes from. */
#pragma once

#include "bpf/lib/abi.h"

enum {
	EVENT_STACK_FRAMES = 127, /* the kernel's own default limit (perf_event_max_stack) */
	EVENT_STACK_BYTES = EVENT_STACK_FRAMES * 8,
};

/*
 * A generated program that has no record passes one of these tags to event_emit(), instead of
 * layout << 32 | probe. EVENT_LOST: the buffer was full. EVENT_LOST_CALL: at a return, the map of
 * calls under way had no entry for the call, because it was full.
 */
#define EVENT_LOST (1ULL << 63)
#define EVENT_LOST_CALL (EVENT_LOST | 1)

/*
 * A kernel stack of EVENT_STACK_BYTES follows if event_config.kernel_stack is set, and then the
 * values of the probe's expressions.
 */
struct event_header {
	__u64 ts_ns; /* CLOCK_MONOTONIC, after the record was reserved */
	__u32 probe;
	__u32 layout; /* the layout of the values: an index in the program's layouts */
	__u32 tgid;
	__u32 tid;
	__u32 cpu;
	__u32 site;	    /* number of the probe's site, from 1; 0 if it has only one */
	__s32 kernel_bytes; /* of the stack, or -errno */
	__u32 pad;
	char comm[16];
	__u64 user_stack;   /* an id: see bpf/unwind/unwind.h */
	__u64 top_of_stack; /* see stack_top(): at a function's entry, its return address */
};
ABI_SIZE(event_header, 72);

/*
 * Constants of one run: set before the object is loaded, so that features that are off cost
 * nothing.
 */
struct event_config {
	__u64 wakeup_bytes; /* wake the reader when this much is unread */
	__u64 pidns_device; /* process ids are those of this pid namespace; 0: the initial one */
	__u64 pidns_inode;
	__u8 user_stack;
	__u8 kernel_stack;
	__u8 pad[6];
};
ABI_SIZE(event_config, 32);
