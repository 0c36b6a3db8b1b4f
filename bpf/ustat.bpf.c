/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ustat: the C functions that its generated programs call (common/expr/compile.h, OutputKind::Key).
 * The key is the process; all programs share one table. `measured` means
 *
 *     ustat_count      the counter to increment, enum activity_count
 *     ustat_allocate   the bytes of an object
 *     ustat_pause      1: a collection; 0: a part of one: only its time is added
 *     ustat_resume     nothing: not used
 */
#include "bpf/lib/bpf.h"
#include "bpf/runtimes/activity.h"
#include "bpf/lib/probe.bpf.h"
#include "bpf/lib/table.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 16384);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u64); /* the process */
	__type(value, struct activity_totals);
} ustat_processes SEC(".maps");

/* The pause under way in a thread. Pauses may nest: Ruby sweeps within its mark phase. */
struct pause {
	__u64 since_ns;
	__u64 depth; /* nested pauses */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32); /* the thread */
	__type(value, struct pause);
} ustat_pauses SEC(".maps");

static __always_inline struct activity_totals *process_of(const void *key)
{
	struct activity_totals *process = bpf_map_lookup_elem(&ustat_processes, key);
	struct activity_totals first = {};

	if (process)
		return process;
	/* Read the name now, because the process may exit before the frontend reads it. */
	bpf_get_current_comm(first.comm, sizeof(first.comm));
	return table_value(&ustat_processes, key, &first);
}

__hidden __noinline int ustat_count(void *ctx, void *table, void *key, __u64 measured, __s64 status)
{
	struct activity_totals *process = process_of(key);

	if (process && measured < ACTIVITY_COUNTS)
		__sync_fetch_and_add(&process->counts[measured], 1);
	return 0;
}

/* If `status` is not 0, the size is unreadable; we count the object anyway. */
__hidden __noinline int ustat_allocate(void *ctx, void *table, void *key, __u64 measured,
				       __s64 status)
{
	struct activity_totals *process = process_of(key);

	if (!process)
		return 0;
	__sync_fetch_and_add(&process->counts[ACTIVITY_OBJECTS], 1);
	if (!status && (__s64)measured > 0)
		__sync_fetch_and_add(&process->bytes, measured);
	return 0;
}

__hidden __noinline int ustat_pause(void *ctx, void *table, void *key, __u64 measured, __s64 status)
{
	struct activity_totals *process = process_of(key);
	__u32 tid = bpf_get_current_pid_tgid();
	struct pause first = {.since_ns = bpf_ktime_get_ns(), .depth = 1};
	struct pause *outer = NULL;

	if (process && measured)
		__sync_fetch_and_add(&process->counts[ACTIVITY_COLLECTIONS], 1);
	if (!measured) /* collections do not nest: an old entry's end was missed; overwrite it */
		outer = bpf_map_lookup_elem(&ustat_pauses, &tid);
	if (outer)
		outer->depth++;
	else if (bpf_map_update_elem(&ustat_pauses, &tid, &first, BPF_ANY))
		table_count_lost(TABLE_CALLS);
	return 0;
}

__hidden __noinline int ustat_resume(void *ctx, void *table, void *key, __u64 measured,
				     __s64 status)
{
	struct activity_totals *process = process_of(key);
	__u32 tid = bpf_get_current_pid_tgid();
	struct pause *pause = bpf_map_lookup_elem(&ustat_pauses, &tid);

	if (!pause || --pause->depth)
		return 0;
	if (process)
		__sync_fetch_and_add(&process->paused_ns, bpf_ktime_get_ns() - pause->since_ns);
	bpf_map_delete_elem(&ustat_pauses, &tid);
	return 0;
}

/* Deletes a dying thread's state: its tid may be reused. */
SEC("raw_tp/sched_process_exit")
int probe_thread_end(void *ctx)
{
	__u32 tid = bpf_get_current_pid_tgid();

	bpf_map_delete_elem(&ustat_pauses, &tid);
	return 0;
}

SEC("template")
int ustat_count_template(void *ctx)
{
	__u64 key = 0;

	return ustat_count(ctx, &ustat_processes, &key, 0, 0);
}

SEC("template")
int ustat_allocate_template(void *ctx)
{
	__u64 key = 0;

	return ustat_allocate(ctx, &ustat_processes, &key, 0, 0);
}

SEC("template")
int ustat_pause_template(void *ctx)
{
	__u64 key = 0;

	return ustat_pause(ctx, &ustat_processes, &key, 0, 0);
}

SEC("template")
int ustat_resume_template(void *ctx)
{
	__u64 key = 0;

	return ustat_resume(ctx, &ustat_processes, &key, 0, 0);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
