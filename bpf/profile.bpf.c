/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * profile: samples the stacks of running threads. A perf event on each CPU interrupts the CPU a
 * given number of times a second, and this program counts the stack that is running.
 */
#include "bpf/lib/bpf.h"
#include "bpf/profile.h"
#include "bpf/lib/filter.bpf.h"
#include "bpf/unwind/stacks.bpf.h"
#include "bpf/lib/table.bpf.h"
#include "bpf/unwind/unwind.bpf.h"

const volatile struct profile_config profile_config = {};

/* Preallocated: programs of perf events may interrupt the kernel while it allocates an entry. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 40960); /* --keys */
	__type(key, struct profile_key);
	__type(value, __u64);
} profile_counts SEC(".maps");

SEC("perf_event")
int profile_sample(struct bpf_perf_event_data *ctx)
{
	struct profile_key key = {};
	__u64 ids;

	if (!profile_config.idle && !(__u32)bpf_get_current_pid_tgid())
		return 0;
	ids = filter_ids();
	if (!filter_passes(ids))
		return 0;
	key.tgid = ids >> 32;
	key.tid = profile_config.by_thread ? (__u32)ids : 0;
	bpf_get_current_comm(key.comm, sizeof(key.comm));
	key.stack.kernel_id = STACK_KEY_NONE;
	if (profile_config.user_stack) {
		key.stack.tgid = key.tgid;
		key.stack.user_id = unwind_from_kernel();
	}
	if (profile_config.kernel_stack)
		key.stack.kernel_id = stacks_id(ctx);
	table_count(&profile_counts, &key);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
