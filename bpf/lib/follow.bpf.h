/*
 * Following forks: `follow_targets` holds the processes that are traced, and every child of one
 * joins them before it runs its first instruction. Who has ended stays there until a stranger gets
 * the number, or the frontend needs to know who is left (common/run/ending.h).
 *
 * task:task_newtask fires in the parent; its `pid` is the child's thread id, which is its process
 * id unless CLONE_THREAD is set. A plain tracepoint: no CO-RE, so no vmlinux BTF to read at start
 * (4-6 ms).
 */
#pragma once

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u8);
} follow_targets SEC(".maps");

struct follow_newtask_args { /* events/task/task_newtask/format */
	__u64 common;
	__s32 pid;
	char comm[16];
	__u32 pad;
	__u64 clone_flags;
};
#define FOLLOW_CLONE_THREAD 0x10000

SEC("?tp/task/task_newtask")
int follow_newtask(struct follow_newtask_args *ctx)
{
	__u32 parent = bpf_get_current_pid_tgid() >> 32, child = ctx->pid;
	__u8 yes = 1;

	if (ctx->clone_flags & FOLLOW_CLONE_THREAD)
		return 0;
	if (bpf_map_lookup_elem(&follow_targets, &parent))
		bpf_map_update_elem(&follow_targets, &child, &yes, BPF_ANY);
	else
		bpf_map_delete_elem(&follow_targets, &child);
	return 0;
}
