/* Structures that offcputime's programs share with its frontend. */
#pragma once

#include "bpf/lib/filter.h"
#include "bpf/lib/histogram.h"
#include "bpf/unwind/stack_key.h"
#include "bpf/unwind/unwind.h"

/* Constants of one run: set before the object is loaded. */
struct offcputime_config {
	__u64 least_ns; /* shorter times are not counted */
	__u64 max_ns;	/* longer times are not counted */
	__u64 state;	/* mask of the wanted states; 0: only preempted threads */
	__u8 any_state; /* ignore `state` */
	__u8 user_threads_only;
	__u8 kernel_threads_only;
	__u8 wakers;
	__u8 by_name; /* add up threads of the same name and process */
	__u8 user_stack;
	__u8 pad[2];
};
ABI_SIZE(offcputime_config, 32);

/* Offsets of fields in tracepoints' records, and of a task's times in its task_struct. */
struct offcputime_layout {
	__u32 previous_state; /* sched_switch */
	__u32 previous_priority;
	__u32 next_tid;
	__u32 woken_tid;    /* sched_waking */
	__u32 task_ran;	    /* the task's run time until now; 0: offset not known */
	__u32 task_had_run; /* its run time when it last began to run */
};
ABI_SIZE(offcputime_layout, 24);

/* Bits of the state in sched_switch's record. */
#define OFFCPUTIME_ENDED 0x30ULL   /* the thread has ended and will not run again */
#define OFFCPUTIME_WAITING 0xffULL /* if no bit is set: runnable, but another thread was chosen */
/*
 * For threads with this priority value or a greater one, the scheduler maintains both times of
 * offcputime_layout.
 */
#define OFFCPUTIME_FAIR 100

/* Times with the same key are added up. */
struct offcputime_key {
	struct stack_key stack;
	struct stack_key waker; /* with --wakers */
	__u32 tgid;		/* in the user's pid namespace */
	__u32 tid;		/* 0: all threads */
	__u32 waker_tgid;
	__u8 is_preempted;
	__u8 futex; /* OFFCPUTIME_FUTEX_LOCK … */
	__u8 pad[2];
	char comm[16];
	char waker_comm[16];
};
ABI_SIZE(offcputime_key, 2 * sizeof(struct stack_key) + 48);

/*
 * What a thread in the futex system call waits for. glibc's mutexes use FUTEX_WAIT without a
 * timeout; its conditions, semaphores and pthread_join() use FUTEX_WAIT_BITSET, which Linux treats
 * the same.
 */
enum {
	OFFCPUTIME_FUTEX_NONE,
	OFFCPUTIME_FUTEX_LOCK,
	OFFCPUTIME_FUTEX_WAIT,
	OFFCPUTIME_FUTEX_TIMED, /* any of these, with a timeout */
};

/* Why times are not counted: keys of offcputime_lost. */
enum { OFFCPUTIME_NO_KEY, OFFCPUTIME_NO_THREAD, OFFCPUTIME_NO_END, OFFCPUTIME_LOST };
