/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * offcputime: for how long threads do not run, by the stacks that they had when they stopped.
 *
 * sched_switch fires in the thread that stops: we store its stacks, its name and the time. When a
 * CPU switches to the thread again, we count the time since. Every thread that stops runs again, if
 * only to end; when it stops for the last time, its state says so and we do not store it.
 *
 * We may miss a switch: Linux skips a tracepoint's program while another one is under way on the
 * CPU, and some kernels trace nothing in processes that they protect. If a thread stops while an
 * earlier stop is still stored, it resumed in such a switch. The scheduler knows how long the
 * thread has run since then.
 *
 * sched_waking fires in the thread that wakes another one.
 */
#include "bpf/lib/bpf.h"
#include "bpf/offcputime.h"
#include "bpf/lib/filter.bpf.h"
#include "bpf/lib/histogram.bpf.h"
#include "bpf/unwind/stacks.bpf.h"
#include "bpf/lib/tracepoint.bpf.h"
#include "bpf/unwind/unwind.bpf.h"

const volatile struct offcputime_config offcputime_config = {};
const volatile struct offcputime_layout offcputime_layout = {};

struct offcputime_start {
	__u64 ts_ns;
	struct offcputime_key key;
};

/* Preallocated, like the next map: a program in the scheduler should not allocate memory. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384); /* --most-threads */
	__type(key, __u32);
	__type(value, struct offcputime_start);
} offcputime_starts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* --keys */
	__type(key, struct offcputime_key);
	__type(value, struct histogram_slot);
} offcputime_times SEC(".maps");

/* Scratch space for a start, which is too large for a BPF program's stack. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct offcputime_start);
} offcputime_scratch SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, OFFCPUTIME_LOST);
	__type(key, __u32);
	__type(value, __u64);
} offcputime_lost SEC(".maps");

static __always_inline void count_lost(__u32 why)
{
	__u64 *lost = bpf_map_lookup_elem(&offcputime_lost, &why);

	if (lost)
		__sync_fetch_and_add(lost, 1);
}

static __always_inline bool is_wanted_state(__u64 state)
{
	if (state & OFFCPUTIME_ENDED)
		return false;
	if (offcputime_config.any_state)
		return true;
	state &= OFFCPUTIME_WAITING;
	return offcputime_config.state ? state & offcputime_config.state : !state;
}

/*
 * Check this before walking the stack: if only kernel threads are wanted, no rules for user stacks
 * have to be learned.
 */
static __always_inline bool is_wanted_thread(void)
{
	if (!offcputime_config.user_threads_only && !offcputime_config.kernel_threads_only)
		return true;
	return unwind_is_kernel_thread() == offcputime_config.kernel_threads_only;
}

/* Stores the current thread's stacks. Kernel threads have no user stack. */
static __always_inline void set_stacks(void *ctx, struct stack_key *stack, __u32 tgid)
{
	stack->caller = 0;
	stack->tgid = tgid;
	stack->user_id = offcputime_config.user_stack ? unwind_from_kernel() : UNWIND_NONE;
	stack->kernel_id = stacks_id(ctx);
}

static __always_inline void add(const struct offcputime_key *key, __u64 ns)
{
	struct histogram_slot zero = {}, *slot = bpf_map_lookup_elem(&offcputime_times, key);

	if (!slot) {
		bpf_map_update_elem(&offcputime_times, key, &zero, BPF_NOEXIST);
		slot = bpf_map_lookup_elem(&offcputime_times, key);
	}
	if (slot)
		histogram_count(slot, ns);
	else
		count_lost(OFFCPUTIME_NO_KEY);
}

static __always_inline void ends(const struct offcputime_start *start, __u32 tid, __u64 now_ns)
{
	__u64 ns = now_ns - start->ts_ns;

	if (ns >= offcputime_config.least_ns && ns <= offcputime_config.max_ns)
		add(&start->key, ns);
	bpf_map_delete_elem(&offcputime_starts, &tid);
}

/* Returns when the current thread, which stops now, began to run, or 0 if that is not known. */
static __always_inline __u64 began_to_run_ns(void *ctx)
{
	__u64 task = bpf_get_current_task(), ran = 0, had_run = 0;

	if (!offcputime_layout.task_ran ||
	    tracepoint_u32(ctx, offcputime_layout.previous_priority) < OFFCPUTIME_FAIR ||
	    bpf_probe_read_kernel(&ran, sizeof(ran), (void *)(task + offcputime_layout.task_ran)) ||
	    bpf_probe_read_kernel(&had_run, sizeof(had_run),
				  (void *)(task + offcputime_layout.task_had_run)))
		return 0;
	return bpf_ktime_get_ns() - (ran - had_run);
}

/* Ends an earlier stop of the current thread if we missed the switch in which it resumed. */
static __always_inline void end_missed(void *ctx, __u32 tid)
{
	struct offcputime_start *start = bpf_map_lookup_elem(&offcputime_starts, &tid);
	__u64 end_ns;

	if (!start)
		return;
	end_ns = began_to_run_ns(ctx);
	if (end_ns > start->ts_ns) {
		ends(start, tid, end_ns);
	} else {
		count_lost(OFFCPUTIME_NO_END);
		bpf_map_delete_elem(&offcputime_starts, &tid);
	}
}

#ifdef __TARGET_ARCH_x86
enum { FUTEX_CALL = 202 };
#define SAVED_CALL(saved) BPF_REGISTER(saved, pt_regs, orig_ax)
#define SAVED_SECOND(saved) BPF_REGISTER(saved, pt_regs, si)
#define SAVED_FOURTH(saved) BPF_REGISTER(saved, pt_regs, r10)
#else
enum { FUTEX_CALL = 98 };
#define SAVED_CALL(saved) ((__u32)BPF_REGISTER(saved, pt_regs, syscallno))
#define SAVED_SECOND(saved) BPF_REGISTER(saved, user_pt_regs, regs[1])
#define SAVED_FOURTH(saved) BPF_REGISTER(saved, user_pt_regs, regs[3])
#endif
#define BPF_REGISTER(regs, type, field) saved_register(regs + offsetof(struct type, field))

static __always_inline __u64 saved_register(void *at)
{
	__u64 value = 0;

	bpf_probe_read_kernel(&value, sizeof(value), at);
	return value;
}

/* Returns what the current thread waits for if it is in the futex system call. */
static __noinline __u32 futex_kind(void)
{
	enum { WAIT = 0, LOCK_PI = 6, LOCK_PI2 = 13, COMMAND = 0x7f };
	void *registers = unwind_saved_registers();
	__u32 command;

	if (!registers || SAVED_CALL(registers) != FUTEX_CALL)
		return OFFCPUTIME_FUTEX_NONE;
	command = SAVED_SECOND(registers) & COMMAND;
	if (command == LOCK_PI || command == LOCK_PI2)
		return OFFCPUTIME_FUTEX_LOCK;
	if (SAVED_FOURTH(registers))
		return OFFCPUTIME_FUTEX_TIMED;
	return command == WAIT ? OFFCPUTIME_FUTEX_LOCK : OFFCPUTIME_FUTEX_WAIT;
}

static __always_inline void stops(void *ctx)
{
	__u64 state = tracepoint_u64(ctx, offcputime_layout.previous_state), ids;
	__u32 tid = bpf_get_current_pid_tgid(), zero = 0;
	struct offcputime_start *start;

	if (!tid)
		return;
	ids = filter_ids();
	if (!filter_passes(ids) || !is_wanted_thread())
		return;
	end_missed(ctx, tid);
	if (!is_wanted_state(state))
		return;
	start = bpf_map_lookup_elem(&offcputime_scratch, &zero);
	if (!start)
		return;
	__builtin_memset(start, 0, sizeof(*start));
	start->key.tgid = ids >> 32;
	start->key.tid = offcputime_config.by_name ? 0 : (__u32)ids;
	start->key.is_preempted = !(state & OFFCPUTIME_WAITING);
	start->key.futex = start->key.is_preempted ? OFFCPUTIME_FUTEX_NONE : futex_kind();
	bpf_get_current_comm(start->key.comm, sizeof(start->key.comm));
	set_stacks(ctx, &start->key.stack, start->key.tgid);
	start->key.waker.kernel_id = STACK_KEY_NONE;
	start->ts_ns = bpf_ktime_get_ns();
	if (bpf_map_update_elem(&offcputime_starts, &tid, start, BPF_ANY))
		count_lost(OFFCPUTIME_NO_THREAD);
}

static __always_inline void goes_on(__u32 tid)
{
	struct offcputime_start *start = bpf_map_lookup_elem(&offcputime_starts, &tid);

	if (start)
		ends(start, tid, bpf_ktime_get_ns());
}

SEC("tp")
int offcputime_switch(void *ctx)
{
	stops(ctx);
	goes_on(tracepoint_u32(ctx, offcputime_layout.next_tid));
	return 0;
}

SEC("?tp")
int offcputime_waking(void *ctx)
{
	__u32 tid = tracepoint_u32(ctx, offcputime_layout.woken_tid);
	struct offcputime_start *start = bpf_map_lookup_elem(&offcputime_starts, &tid);

	if (!start)
		return 0;
	start->key.waker_tgid = filter_ids() >> 32;
	bpf_get_current_comm(start->key.waker_comm, sizeof(start->key.waker_comm));
	set_stacks(ctx, &start->key.waker, start->key.waker_tgid);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
