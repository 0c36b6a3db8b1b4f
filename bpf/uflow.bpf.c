/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * uflow: the C half of its programs, which are generated (common/expr/program.h, Sink::Record).
 *
 * The depth of a call is that in the whole program, not among the calls that are shown: so every call
 * and every return is counted, before the filter is asked (ProgramRequest::ask), in a counter of its
 * thread. The counters also live through a full buffer, and tell the next event of the thread how
 * many were lost.
 *
 * Probes are attached one after another. Nothing is counted until all are, else a call whose entry
 * was seen and whose return was not would stay for ever.
 */
#include "lib/bpf.h"
#include "uflow.h"
#include "lib/emit.bpf.h"
#include "lib/event.h"
#include "lib/ids.bpf.h"
#include "lib/probe.bpf.h"

const volatile struct uflow_config uflow_config = {};
volatile __u32 uflow_ready = 0;

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

/* Both return not 0 when the event is not wanted. */
__hidden __noinline int uflow_enter(void *ctx)
{
	struct uflow_thread first = {.calls = 1, .depth = 1, .at = 1}, *thread;
	__u32 tid = bpf_get_current_pid_tgid();

	if (!uflow_ready)
		return 1;
	thread = bpf_map_lookup_elem(&uflow_threads, &tid);
	if (!thread) {
		if (bpf_map_update_elem(&uflow_threads, &tid, &first, BPF_ANY)) {
			count(UFLOW_NO_THREAD, 1);
			return 1;
		}
		return 0;
	}
	thread->calls++;
	thread->at = ++thread->depth;
	return thread->at > uflow_config.most_depth;
}

__hidden __noinline int uflow_leave(void *ctx)
{
	struct uflow_thread *thread;

	if (!uflow_ready)
		return 1;
	thread = this_thread();
	/* Calls from before the start: their returns tell little without the entries. */
	if (!thread || !thread->depth)
		return 1;
	thread->at = thread->depth--;
	return thread->at > uflow_config.most_depth;
}

/* Completes and submits a record. `tag`: layout << 32 | probe; from EVENT_LOST on: there is no record. */
__hidden __noinline int uflow_emit(void *ctx, struct uflow_event *record, __u64 tag)
{
	struct uflow_thread *thread = this_thread();
	__u64 ids;

	if (tag >= EVENT_LOST) {
		if (thread)
			thread->lost++;
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
	record->depth = 0;
	record->lost = 0;
	record->pad = 0;
	if (thread) {
		record->depth = thread->at;
		record->lost = thread->lost;
		thread->lost = 0;
	}
	emit_submit(&uflow_events, record, uflow_config.wakeup_bytes);
	return 0;
}

/* A thread that ends inside of calls leaves nothing to the next one of its number. */
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

SEC("uprobe")
int uflow_enter_template(void *ctx)
{
	struct uflow_event *record;

	if (uflow_enter(ctx))
		return 0;
	record = bpf_ringbuf_reserve(&uflow_events, sizeof(*record), 0);
	return uflow_emit(ctx, record, record ? 0 : EVENT_LOST);
}

SEC("uprobe")
int uflow_leave_template(void *ctx)
{
	struct uflow_event *record;

	if (uflow_leave(ctx))
		return 0;
	record = bpf_ringbuf_reserve(&uflow_events, sizeof(*record), 0);
	return uflow_emit(ctx, record, record ? 0 : EVENT_LOST);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
