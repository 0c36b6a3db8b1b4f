/* What crosses between memleak's programs and its frontend. */
#pragma once

#include "lib/held_block.h"
#include "lib/unwind.h"

/* Constants of one run: set before the object is loaded. */
struct memleak_config {
	__u64 pidns_device; /* count ids in this pid namespace; 0: the initial one */
	__u64 pidns_inode;
	__u64 least_bytes; /* smaller and larger blocks are not kept */
	__u64 most_bytes;
	__u64 sample_bytes; /* one block in so many bytes, by chance; 0: all */
	__u64 sample_every; /* one in so many blocks, by chance; 0: all */
	__u64 wakeup_bytes; /* of memleak_events; 0: no events */
	__u32 ended_at;	    /* where sched_process_free has the thread that is gone */
	__u8 refuses_early; /* what is not sampled is refused at the function's entry */
	__u8 remembers;	    /* what is asked for: sessions of the kernel save too little of it */
	__u8 mappings;	    /* system calls that map memory, too */
	__u8 pad;
};
ABI_SIZE(memleak_config, 64);

enum { MEMLEAK_ALLOCATED, MEMLEAK_FREED };

/* With -t: a block comes or goes. */
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

/* Why a block is not known: keys of memleak_lost. */
enum {
	MEMLEAK_NO_BLOCK,   /* no place for more blocks */
	MEMLEAK_NO_PROCESS, /* or processes */
	MEMLEAK_NO_CALL,    /* or calls under way */
	MEMLEAK_UNREADABLE, /* its address could not be read */
	MEMLEAK_NO_RESULT, /* its function is left by a jump to another, whose return is not seen */
	MEMLEAK_NO_EVENT,  /* the buffer of -t was full; the block is known all the same */
	MEMLEAK_NO_HOLE,   /* no place for more ranges that were unmapped */
	MEMLEAK_LOST,
};
