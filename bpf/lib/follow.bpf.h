/*
 * Following forks: `follow_targets` holds the traced processes, and we add every child of one
 * before it runs its first instruction. We remove a process when it has ended and its parent has
 * waited for it; the frontend also removes those whose end it observes (common/run/target_watch.h).
 *
 * task:task_newtask fires in the parent; its `pid` is the child's thread id, which is its process
 * id unless CLONE_THREAD is set. sched:sched_process_free reports the id of each thread that is
 * gone; the thread whose id is the process id goes last. These are plain tracepoints without CO-RE,
 * so no vmlinux BTF has to be read at start (4-6 ms).
 */
#pragma once

#include "bpf/lib/ids.bpf.h"
#include "bpf/lib/tracepoint.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u8);
} follow_targets SEC(".maps");

/* Counts children that were not added because follow_targets was full. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} follow_lost SEC(".maps");

/*
 * The ids of the cgroups of the traced containers, pods and units, and of those in them. The
 * frontend adds cgroups as they appear (common/run/workload_filter.h).
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, __u64);
	__type(value, __u8);
} follow_cgroups SEC(".maps");

static __always_inline int follow_has_cgroup(void)
{
	__u64 id = bpf_get_current_cgroup_id();

	return bpf_map_lookup_elem(&follow_cgroups, &id) != NULL;
}

/*
 * Offsets of fields in the tracepoints' records, which common/run/processes.h reads from tracefs.
 */
const volatile __u32 follow_child_at = 0;
const volatile __u32 follow_flags_at = 0;
const volatile __u32 follow_ended_at = 0;
#define FOLLOW_CLONE_THREAD 0x10000

static __always_inline void follow_add(__u32 child)
{
	__u8 yes = 1;
	__u32 zero = 0;
	__u64 *lost;

	if (!bpf_map_update_elem(&follow_targets, &child, &yes, BPF_ANY))
		return;
	lost = bpf_map_lookup_elem(&follow_lost, &zero);
	if (lost)
		__sync_fetch_and_add(lost, 1);
}

SEC("?tp/task/task_newtask")
int follow_newtask(void *ctx)
{
	__u32 parent = bpf_get_current_pid_tgid() >> 32;
	__u32 child = tracepoint_u32(ctx, follow_child_at);

	if (tracepoint_u64(ctx, follow_flags_at) & FOLLOW_CLONE_THREAD)
		return 0;
	if (bpf_map_lookup_elem(&follow_targets, &parent))
		follow_add(child);
	else /* the entry of a process with this id that ended before we were attached */
		bpf_map_delete_elem(&follow_targets, &child);
	return 0;
}

/*
 * The kernel's filters by process refer to the process's main thread. If another thread calls
 * execve(), it replaces the main thread, and the probes no longer fire. If the process is the only
 * one traced, we report this to the frontend, which attaches the probes again.
 */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} follow_execs SEC(".maps");

const volatile __u32 follow_only = 0; /* the only traced process; 0: there are several */
const volatile __u64 follow_pidns_device = 0, follow_pidns_inode = 0;

/* Arguments: the task, the thread id it had before, the program (struct linux_binprm). */
SEC("?raw_tp/sched_process_exec")
int follow_exec(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 ids = ids_current(follow_pidns_device, follow_pidns_inode);
	__u64 now = bpf_ktime_get_ns();

	if ((__u32)bpf_get_current_pid_tgid() != (__u32)ctx->args[1] && ids >> 32 == follow_only)
		bpf_ringbuf_output(&follow_execs, &now, sizeof(now), 0);
	return 0;
}

SEC("?tp/sched/sched_process_free")
int follow_free(void *ctx)
{
	__u32 ended = tracepoint_u32(ctx, follow_ended_at);

	bpf_map_delete_elem(&follow_targets, &ended);
	return 0;
}
