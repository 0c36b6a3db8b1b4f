/* What crosses between offcputime's programs and its frontend. */
#pragma once

#include "lib/filter.h"
#include "lib/histogram.h"
#include "lib/stack_key.h"
#include "lib/unwind.h"

/* Constants of one run: set before the object is loaded. */
struct offcputime_config {
	__u64 least_ns; /* shorter and longer times are not counted */
	__u64 most_ns;
	__u64 state; /* only in one of these states; see any_state */
	__u8 any_state;
	__u8 user_threads_only;
	__u8 kernel_threads_only;
	__u8 wakers;
	__u8 by_name; /* threads of one name and process together */
	__u8 user_stack;
	__u8 pad[2];
};
ABI_SIZE(offcputime_config, 32);

/* Where tracepoints have their fields, and where a task has its times. */
struct offcputime_layout {
	__u32 previous_state; /* sched_switch */
	__u32 previous_priority;
	__u32 next_tid;
	__u32 woken_tid; /* sched_waking */
	/* For how long the task has run, and for how long it had when it began to run again; 0: not known. */
	__u32 task_ran;
	__u32 task_had_run;
};
ABI_SIZE(offcputime_layout, 24);

/* In the state that sched_switch tells. */
#define OFFCPUTIME_ENDED 0x30ULL   /* the thread will not come back */
#define OFFCPUTIME_WAITING 0xffULL /* none of these: it could go on, but another thread runs */
/* From this priority on, the scheduler keeps both times of a task that offcputime_layout has. */
#define OFFCPUTIME_FAIR 100

/* Which times are counted together. */
struct offcputime_key {
	struct stack_key stack;
	struct stack_key waker; /* with --wakers */
	__u32 tgid;		/* as the person sees it */
	__u32 tid;		/* 0: of all threads */
	__u32 waker_tgid;
	__u8 is_preempted;
	__u8 futex; /* OFFCPUTIME_FUTEX_LOCK … */
	__u8 pad[2];
	char comm[16];
	char waker_comm[16];
};
ABI_SIZE(offcputime_key, 2 * sizeof(struct stack_key) + 48);

/* What a thread asks the kernel's futex for: glibc's mutexes wait without a limit for a value, its conditions, semaphores and ends of
 * threads with bits, which Linux takes for the same. */
enum {
	OFFCPUTIME_FUTEX_NONE,
	OFFCPUTIME_FUTEX_LOCK,
	OFFCPUTIME_FUTEX_WAIT,
	OFFCPUTIME_FUTEX_TIMED, /* whichever, for a while at most */
};

/* Why a time is not counted: keys of offcputime_lost. */
enum { OFFCPUTIME_NO_KEY, OFFCPUTIME_NO_THREAD, OFFCPUTIME_NO_END, OFFCPUTIME_LOST };
