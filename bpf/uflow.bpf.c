/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * uflow: the C functions that its generated programs call (common/expr/compile.h,
 * OutputKind::Record).
 *
 * The depth of a call is its depth in the whole program, not among the calls that are shown. So we
 * count every call and return, before the filter (ProgramRequest::check_function), in a counter of
 * the thread or of its virtual thread. The counters also survive a full buffer: the next event of
 * the thread says how many were lost.
 *
 * Probes are attached one after another. We count nothing until all are attached; otherwise a call
 * whose entry we saw but not its return would raise the depth forever.
 */
#include "bpf/lib/bpf.h"
#include "bpf/uflow.h"
#include "bpf/lib/emit.bpf.h"
#include "bpf/lib/event.h"
#include "bpf/lib/ids.bpf.h"
#include "bpf/lib/probe.bpf.h"
#include "bpf/runtimes/virtual_thread.h"

enum { UFLOW_VIRTUAL_THREADS = 65536 };

const volatile struct uflow_config uflow_config = {};
volatile __u32 uflow_ready = 0;
volatile __u64 uflow_virtuals = 0; /* approximate number of insertions into uflow_virtual_threads */

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* --buffer */
} uflow_events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, UFLOW_COUNTS);
	__type(key, __u32);
	__type(value, __u64);
} uflow_counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32); /* tid in the initial pid namespace */
	__type(value, struct uflow_thread);
} uflow_threads SEC(".maps");

/*
 * Virtual threads with calls under way. No probe reports when a virtual thread ends, for example
 * with its process. So the map drops the virtual threads that were idle longest.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, UFLOW_VIRTUAL_THREADS);
	__type(key, __u64); /* bpf/runtimes/virtual_thread.h */
	__type(value, struct uflow_virtual);
} uflow_virtual_threads SEC(".maps");

static __always_inline void count(__u32 what, __u64 more)
{
	__u64 *counted = bpf_map_lookup_elem(&uflow_counts, &what);

	if (counted)
		__sync_fetch_and_add(counted, more);
}

static __always_inline struct uflow_thread *this_thread(void)
{
	__u32 tid = bpf_get_current_pid_tgid();

	return bpf_map_lookup_elem(&uflow_threads, &tid);
}

static __always_inline struct uflow_thread *add_thread(void)
{
	struct uflow_thread first = {};
	__u32 tid = bpf_get_current_pid_tgid();

	bpf_map_update_elem(&uflow_threads, &tid, &first, BPF_NOEXIST);
	return bpf_map_lookup_elem(&uflow_threads, &tid);
}

static __always_inline __u64 this_key(__u64 virtual_thread)
{
	return virtual_thread_key(bpf_get_current_pid_tgid() >> 32, virtual_thread);
}

/* Counts a call of a virtual thread, and returns its depth. */
static __always_inline __u32 enter_virtual(__u64 virtual_thread)
{
	struct uflow_virtual first = {.depth = 1}, *calls;
	__u64 key = this_key(virtual_thread);

	calls = bpf_map_lookup_elem(&uflow_virtual_threads, &key);
	if (calls)
		return ++calls->depth;
	bpf_map_update_elem(&uflow_virtual_threads, &key, &first, BPF_ANY);
	uflow_virtuals++;
	return 1;
}

/*
 * Returns the depth of the call that a virtual thread leaves, or 0 if it is not known. When its
 * last call has ended we delete the thread, because no probe reports its end.
 */
static __always_inline __u32 leave_virtual(__u64 virtual_thread)
{
	__u64 key = this_key(virtual_thread);
	struct uflow_virtual *calls = bpf_map_lookup_elem(&uflow_virtual_threads, &key);
	__u32 depth;

	if (!calls || !calls->depth) {
		if (uflow_virtuals > UFLOW_VIRTUAL_THREADS / 2)
			count(UFLOW_FORGOTTEN, 1);
		return 0;
	}
	depth = calls->depth--;
	if (depth == 1)
		bpf_map_delete_elem(&uflow_virtual_threads, &key);
	return depth;
}

static __always_inline bool is_wanted(__u64 virtual_thread, __s64 status)
{
	if (!uflow_ready)
		return false;
	if (status)
		count(UFLOW_UNREADABLE, 1);
	return !status && virtual_thread != VIRTUAL_THREAD_BETWEEN;
}

/* uflow_enter() and uflow_leave() return non-zero if the event is not wanted. */
__hidden __noinline int uflow_enter(void *ctx, __u64 virtual_thread, __s64 status)
{
	struct uflow_thread *thread;

	if (!is_wanted(virtual_thread, status))
		return 1;
	thread = this_thread();
	if (!thread)
		thread = add_thread();
	if (!thread) {
		count(UFLOW_NO_THREAD, 1);
		return 1;
	}
	thread->calls++;
	thread->virtual_thread = virtual_thread;
	thread->at = virtual_thread ? enter_virtual(virtual_thread) : ++thread->depth;
	return thread->at > uflow_config.max_depth;
}

__hidden __noinline int uflow_leave(void *ctx, __u64 virtual_thread, __s64 status)
{
	struct uflow_thread *thread;

	if (!is_wanted(virtual_thread, status))
		return 1;
	thread = this_thread();
	if (!thread && virtual_thread)
		thread = add_thread(); /* a carrier thread that has made no calls itself */
	if (!thread)
		return 1;
	thread->virtual_thread = virtual_thread;
	if (virtual_thread)
		thread->at = leave_virtual(virtual_thread);
	else
		thread->at = thread->depth ? thread->depth-- : 0;
	/*
	 * Drop returns of calls that began before the start: they mean little without their
	 * entries.
	 */
	return !thread->at || thread->at > uflow_config.max_depth;
}

/* Returns the counter of events of this thread that were lost since its last record, or NULL. */
static __always_inline __u32 *lost_before(struct uflow_thread *thread)
{
	struct uflow_virtual *calls;
	__u64 key;

	if (!thread->virtual_thread)
		return &thread->lost;
	key = this_key(thread->virtual_thread);
	calls = bpf_map_lookup_elem(&uflow_virtual_threads, &key);
	return calls ? &calls->lost : NULL;
}

/*
 * Completes and submits a record. `tag` is layout << 32 | probe, or EVENT_LOST if there is no
 * record.
 */
__hidden __noinline int uflow_emit(void *ctx, struct uflow_event *record, __u64 tag)
{
	struct uflow_thread *thread = this_thread();
	__u32 *lost = thread ? lost_before(thread) : NULL;
	__u64 ids;

	if (tag >= EVENT_LOST) {
		if (lost)
			(*lost)++;
		count(UFLOW_LOST, 1);
		return 0;
	}

	record->ts_ns = bpf_ktime_get_ns();
	record->probe = tag;
	record->layout = tag >> 32;
	ids = ids_current(uflow_config.pidns_device, uflow_config.pidns_inode);
	record->tgid = ids >> 32;
	record->tid = ids;
	record->cpu = bpf_get_smp_processor_id();
	record->depth = thread ? thread->at : 0;
	record->virtual_thread = thread ? thread->virtual_thread : VIRTUAL_THREAD_NONE;
	record->lost = lost ? *lost : 0;
	record->pad = 0;
	if (lost)
		*lost = 0;
	emit_submit(&uflow_events, record, uflow_config.wakeup_bytes);
	return 0;
}

/* Deletes a dying thread's state: its tid may be reused. */
SEC("raw_tp/sched_process_exit")
int probe_thread_end(void *ctx)
{
	__u32 tid = bpf_get_current_pid_tgid();
	struct uflow_thread *thread = this_thread();

	if (!thread)
		return 0;
	count(UFLOW_ENDED_CALLS, thread->calls);
	bpf_map_delete_elem(&uflow_threads, &tid);
	return 0;
}

SEC("template")
int uflow_enter_and_uflow_emit_template(void *ctx)
{
	struct uflow_event *record;

	if (uflow_enter(ctx, 0, 0))
		return 0;
	record = bpf_ringbuf_reserve(&uflow_events, sizeof(*record), 0);
	return uflow_emit(ctx, record, record ? 0 : EVENT_LOST);
}

SEC("template")
int uflow_leave_and_uflow_emit_template(void *ctx)
{
	struct uflow_event *record;

	if (uflow_leave(ctx, 0, 0))
		return 0;
	record = bpf_ringbuf_reserve(&uflow_events, sizeof(*record), 0);
	return uflow_emit(ctx, record, record ? 0 : EVENT_LOST);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
