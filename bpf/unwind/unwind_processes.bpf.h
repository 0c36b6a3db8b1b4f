/*
 * Follows what processes execute and map, so that no stack is walked by the rules of files that its
 * process no longer has (bpf/unwind/unwind.bpf.h).
 */
#pragma once

#include "bpf/lib/tracepoint.bpf.h"
#include "bpf/unwind/unwind_walk.bpf.h"

#define UNWIND_CLONE_THREAD 0x10000

/*
 * Counts the programs that processes have executed and the libraries that they have mapped, because
 * both change the meaning of addresses.
 */
__u64 unwind_mappings = 0;

/*
 * Returns where the kernel saved the registers with which the current thread entered the kernel, or
 * NULL.
 */
static __always_inline void *unwind_saved_registers(void)
{
	__u64 stack;
	void *task;

	if (unwind_config.has_task_pt_regs)
		return (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	task = (void *)bpf_get_current_task();
	if (!unwind_config.task_stack_at ||
	    bpf_probe_read_kernel(&stack, sizeof(stack), task + unwind_config.task_stack_at))
		return NULL;
	return (void *)(stack + UNWIND_KERNEL_STACK_BYTES - sizeof(struct pt_regs));
}

/*
 * A forked process has its parent's layout. We delete the layout of a process that executes another
 * program or ends.
 */
SEC("?tp/task/task_newtask")
int unwind_fork(void *ctx)
{
	__u32 parent = bpf_get_current_pid_tgid() >> 32;
	__u32 child = tracepoint_u32(ctx, unwind_config.child_at);
	__u64 *layout, *mapped_ns;

	if (tracepoint_u64(ctx, unwind_config.flags_at) & UNWIND_CLONE_THREAD)
		return 0;
	layout = bpf_map_lookup_elem(&unwind_layouts, &parent);
	mapped_ns = bpf_map_lookup_elem(&unwind_mapped, &parent);
	if (mapped_ns)
		bpf_map_update_elem(&unwind_mapped, &child, mapped_ns, BPF_ANY);
	if (layout)
		bpf_map_update_elem(&unwind_layouts, &child, layout, BPF_ANY);
	return 0;
}

SEC("?tp/sched/sched_process_exec")
int unwind_exec(void *ctx)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;

	__sync_fetch_and_add(&unwind_mappings, 1);
	bpf_map_delete_elem(&unwind_layouts, &tgid);
	bpf_map_delete_elem(&unwind_mapped, &tgid);
	return 0;
}

SEC("?tp/sched/sched_process_free")
int unwind_free(void *ctx)
{
	__u32 ended = tracepoint_u32(ctx, unwind_config.freed_at);

	bpf_map_delete_elem(&unwind_layouts, &ended);
	bpf_map_delete_elem(&unwind_mapped, &ended);
	return 0;
}

/*
 * Returns whether the thread is in an mmap() that maps a library. That is: a file to be executed;
 * or a file as glibc's loader maps it first (MAP_DENYWRITE; musl's loader never unmaps a library);
 * or a reservation in which a library is aligned. We must not count mappings of data, stacks,
 * arenas or the memory of runtimes: each counted mapping makes all later stacks of the process new
 * ones.
 */
static __always_inline int unwind_maps_file(void)
{
#if defined(__TARGET_ARCH_x86)
	enum { call_at = 15, mmap = 9, protection_at = 12, flags_at = 7 };
#else
	enum { call_at = 8, mmap = 222, protection_at = 2, flags_at = 3 };
#endif
	enum {
		executable = 4,
		anonymous = 0x20,
		deny_write = 0x800,
		not_reserved = 0x4000,
		stack = 0x20000
	};
	__u64 *regs = unwind_saved_registers(), call, protection, flags;

	if (!regs || bpf_probe_read_kernel(&call, sizeof(call), &regs[call_at]) || call != mmap ||
	    bpf_probe_read_kernel(&protection, sizeof(protection), &regs[protection_at]) ||
	    bpf_probe_read_kernel(&flags, sizeof(flags), &regs[flags_at]))
		return 0;
	if (flags & anonymous)
		return !protection && !(flags & (not_reserved | stack));
	return (flags & deny_write) || (protection & executable);
}

/*
 * Runs when the kernel looks for free addresses for a mapping, before code there can be executed.
 * Perf events also report the mapping, but only later.
 */
SEC("?tp/mmap/vm_unmapped_area")
int unwind_map(void *ctx)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;
	__u64 now_ns = bpf_ktime_get_ns();

	if (!unwind_maps_file())
		return 0;
	__sync_fetch_and_add(&unwind_mappings, 1);
	if (bpf_map_lookup_elem(&unwind_layouts, &tgid))
		bpf_map_update_elem(&unwind_mapped, &tgid, &now_ns, BPF_ANY);
	return 0;
}
