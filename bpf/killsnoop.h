/* What crosses between killsnoop's programs and its frontend. */
#pragma once

#include "lib/filter.h"

enum {
	KILLSNOOP_SIGNALS = 65, /* 0 (no signal, only the check) and 1 … 64 */
	KILLSNOOP_KERNEL = -1,	/* in place of the system call's number */
};

/* Why an event is lost: keys of killsnoop_lost. */
enum { KILLSNOOP_BUFFER_FULL, KILLSNOOP_CALLS_FULL, KILLSNOOP_LOST };

struct killsnoop_config {
	__u64 pidns_device; /* the tool's own pid namespace, also the initial one */
	__u64 pidns_inode;
	__u64 wakeup_bytes; /* wake the reader when so much waits */
	__s32 target;	    /* only signals to this process or thread; 0: any */
	__u8 failed_only;
	__u8 kernel; /* also those that no call sent */
	__u8 some_signals;
	__u8 signals[KILLSNOOP_SIGNALS]; /* with some_signals: 1 for each that is wanted */
};
ABI_SIZE(killsnoop_config, 96);

/* Where signal:signal_generate has its fields. */
struct killsnoop_layout {
	__u32 signal;
	__u32 code;
	__u32 comm;
	__u32 pid; /* of the thread, in the initial pid namespace */
	__u32 result;
};
ABI_SIZE(killsnoop_layout, 20);

struct killsnoop_event {
	__u64 ts_ns;
	__u32 tgid; /* of the sender */
	__u32 tid;
	__u32 uid;
	__s32 call; /* the system call's number */
	__s32 signal;
	__s32 target;	     /* what the call names: process, thread, group */
	__s32 target_thread; /* what tgkill and rt_tgsigqueueinfo name besides the process */
	__s32 pidfd;	     /* what pidfd_send_signal names; -1 */
	__s32 code;	     /* si_code of what was sent */
	__u32 receivers;     /* processes that the kernel made the signal for */
	__s64 result;
	__u32 taken;	 /* those of them that do not ignore it and had room in their queue */
	__s32 receiver;	 /* id of the first one in the initial pid namespace; 0: not known */
	__u8 hit_target; /* of killsnoop_config is among them */
	__u8 is_elsewhere; /* the sender is in another pid namespace: what the call names is a number there */
	__u8 pad[6];
	char comm[16];
	char receiver_comm[16];
};
ABI_SIZE(killsnoop_event, 104);
