/* Structures that killsnoop's programs share with its frontend. */
#pragma once

#include "bpf/lib/filter.h"

enum {
	KILLSNOOP_SIGNALS = 65, /* 0 (only checks, sends no signal) and 1 … 64 */
	KILLSNOOP_KERNEL = -1,	/* in place of the system call's number */
};

/* Why events are lost: keys of killsnoop_lost. */
enum { KILLSNOOP_BUFFER_FULL, KILLSNOOP_CALLS_FULL, KILLSNOOP_LOST };

struct killsnoop_config {
	__u64 pidns_device; /* the tool's own pid namespace, even if it is the initial one */
	__u64 pidns_inode;
	__u64 wakeup_bytes; /* wake the reader when this much is unread */
	__s32 target;	    /* report only signals to this process or thread; 0: to any */
	__u8 failed_only;
	__u8 kernel; /* also report signals that no system call sent */
	__u8 some_signals;
	__u8 signals[KILLSNOOP_SIGNALS]; /* with some_signals: 1 for each wanted signal */
};
ABI_SIZE(killsnoop_config, 96);

/* Offsets of fields in the record of signal:signal_generate. */
struct killsnoop_layout {
	__u32 signal;
	__u32 code;
	__u32 comm;
	__u32 pid; /* the thread's id, in the initial pid namespace */
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
	__s32 target;	     /* argument of the call: process, thread or group */
	__s32 target_thread; /* tgkill and rt_tgsigqueueinfo: the thread argument */
	__s32 pidfd;	     /* pidfd_send_signal: the descriptor; else -1 */
	__s32 code;	     /* si_code of the signal */
	__u32 receivers;     /* processes for which the kernel generated the signal */
	__s64 result;
	__u32 taken;	   /* receivers that do not ignore it and had room in their queue */
	__s32 receiver;	   /* the first one, in the initial pid namespace; 0: not known */
	__u8 hit_target;   /* whether killsnoop_config.target is a receiver */
	__u8 is_elsewhere; /* the sender is in another pid namespace, to which `target` refers */
	__u8 pad[6];
	char comm[16];
	char receiver_comm[16];
};
ABI_SIZE(killsnoop_event, 104);
