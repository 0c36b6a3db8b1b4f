/*
 * Following forks: `follow_targets` holds the processes that are traced, and every child of one
 * joins them before it runs its first instruction. It leaves them when it has ended and somebody has
 * waited for it; the frontend also takes off those that it sees end (common/run/target_watch.h).
 *
 * task:task_newtask fires in the parent; its `pid` is the child's thread id, which is its process
 * id unless CLONE_THREAD is set. sched:sched_process_free tells the id of a thread that is gone: that
 * of a process goes last. Plain tracepoints: no CO-RE, so no vmlinux BTF to read at start (4-6 ms).
 */
#pragma once

#include "lib/ids.bpf.h"
#include "lib/tracepoint.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u8);
} follow_targets SEC(".maps");

/* Children that found no place among them. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} follow_lost SEC(".maps");

/* Where the tracepoints have their fields: common/run/processes.h reads that from tracefs. */
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
	else /* of one that ended before the programs were attached */
		bpf_map_delete_elem(&follow_targets, &child);
	return 0;
}

/*
 * A thread that is not the first one executes a program: it takes the first one's place, which the kernel's filters by process
 * know, and the probes with it. Each such process that is the only one traced is told to the frontend, which attaches anew.
 */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} follow_execs SEC(".maps");

const volatile __u32 follow_only = 0; /* the process */
const volatile __u64 follow_pidns_device = 0, follow_pidns_inode = 0;

/* The kernel's arguments: the task, the id that its thread had before, the program. */
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
