/* Structures that memleak's programs share with its frontend. */
#pragma once

#include "bpf/runtimes/held_block.h"
#include "bpf/unwind/unwind.h"

/* Constants of one run: set before the object is loaded. */
struct memleak_config {
	__u64 pidns_device; /* process ids are those of this pid namespace; 0: the initial one */
	__u64 pidns_inode;
	__u64 least_bytes;  /* smaller blocks are not kept */
	__u64 max_bytes;    /* larger blocks are not kept */
	__u64 sample_bytes; /* sample a block per this many bytes on average; 0: all blocks */
	__u64 sample_every; /* on average, sample one of this many blocks; 0: all blocks */
	__u64 wakeup_bytes; /* of memleak_events; 0: no events */
	__u32 ended_at;	    /* offset of the thread id in sched_process_free's record */
	__u8 refuses_early; /* at a function's entry, skip blocks that are not sampled */
	__u8 remembers;	    /* keep arguments in a map: a kernel session has too little room */
	__u8 mappings;	    /* also trace system calls that map memory */
	__u8 pad;
};
ABI_SIZE(memleak_config, 64);

enum { MEMLEAK_ALLOCATED, MEMLEAK_FREED };

/* With -t: a block was allocated or freed. */
struct memleak_event {
	__u64 ts_ns;
	__u64 address;
	__u64 bytes; /* MEMLEAK_ALLOCATED */
	__u32 tgid, tid;
	__u32 what;
	__u32 pad;
	char comm[16];
};
ABI_SIZE(memleak_event, 56);

/* Why blocks are not tracked: keys of memleak_lost. */
enum {
	MEMLEAK_NO_BLOCK,   /* the map of blocks was full */
	MEMLEAK_NO_PROCESS, /* the map of processes was full */
	MEMLEAK_NO_CALL,    /* the map of calls under way was full */
	MEMLEAK_UNREADABLE, /* the block's address could not be read */
	MEMLEAK_NO_RESULT,  /* the function jumped to another one, whose return is not probed */
	MEMLEAK_NO_EVENT,   /* the buffer of -t was full; the block is tracked anyway */
	MEMLEAK_NO_HOLE,    /* the map of unmapped ranges was full */
	MEMLEAK_LOST,
};
