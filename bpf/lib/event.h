/* The start of every event record: what each event has, whatever probe it comes from. */
#pragma once

#include "lib/abi.h"
#include "lib/unwind.h"

enum {
	EVENT_STACK_FRAMES = 127, /* the kernel's own default limit (perf_event_max_stack) */
	EVENT_STACK_BYTES = EVENT_STACK_FRAMES * 8,
};

/*
 * The tags from this one on are those that a program gives instead of layout << 32 | probe when there
 * is no record: the buffer had no place for it; or the map of calls under way for the call, which is
 * not known at its return.
 */
#define EVENT_LOST (1ULL << 63)
#define EVENT_LOST_CALL (EVENT_LOST | 1)

/*
 * It is followed by a kernel stack of EVENT_STACK_BYTES, if it is asked for, and by the values of the
 * probe's expressions.
 */
struct event_header {
	__u64 ts_ns; /* CLOCK_MONOTONIC, taken after the record's place in the buffer was */
	__u32 probe;
	__u32 layout; /* of the values: which of the program's layouts */
	__u32 tgid;
	__u32 tid;
	__u32 cpu;
	__u32 site;	    /* which of the probe's sites, from 1 on; 0 when there is one */
	__s32 kernel_bytes; /* of the stack, or -errno */
	__u32 pad;
	char comm[16];
	__u64 user_stack; /* its id: lib/unwind.h */
	__u64 top_of_stack; /* of the kernel's stack: at a function's entry, the address it returns to */
};
ABI_SIZE(event_header, 72);

/* Constants of one run: set before the object is loaded, so that what is off costs nothing. */
struct event_config {
	__u64 wakeup_bytes; /* wake the reader when so much waits */
	__u64 pidns_device; /* count ids in this pid namespace; 0: the initial one */
	__u64 pidns_inode;
	__u8 user_stack;
	__u8 kernel_stack;
	__u8 pad[6];
};
ABI_SIZE(event_config, 32);
