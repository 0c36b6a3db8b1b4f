/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ucalls: the C functions that its generated programs call (common/expr/compile.h,
 * OutputKind::Key). bpf/runtimes/call_stack.bpf.h matches returns with entries.
 */
#include "bpf/lib/bpf.h"
#include "bpf/lib/probe.bpf.h"
#include "bpf/lib/table.bpf.h"
#include "bpf/runtimes/call_stack.bpf.h"
#include "bpf/ucalls.h"

const volatile bool ucalls_latency = false;
const volatile bool ucalls_histograms = false;

/* Only for the templates, which are never attached; the frontend creates the real tables. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, struct ucalls_method);
} ucalls_methods SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1); /* set by the frontend */
	__type(key, struct ucalls_slot);
	__type(value, struct histogram_slot);
} ucalls_times SEC(".maps");

/* `measured`: see ucalls.h. */
__hidden __noinline int ucalls_enter(void *ctx, void *table, void *key, __u64 measured,
				     __s64 status)
{
	struct ucalls_method first = {}, *method;

	*(__u64 *)key = 0;
	method = bpf_map_lookup_elem(table, key);
	if (!method) {
		first.id = (__u64)bpf_get_prandom_u32() << 32 | bpf_get_prandom_u32();
		method = table_value(table, key, &first);
	}
	if (!method)
		return 0;
	__sync_fetch_and_add(&method->calls, 1);
	if (!ucalls_latency || status || measured == VIRTUAL_THREAD_BETWEEN)
		return 0;
	if (measured == UCALLS_NESTS_ON_STACK)
		push(this_thread(VIRTUAL_THREAD_NONE), method->id, stack_pointer(ctx));
	else
		push(this_thread(measured), method->id, 0);
	return 0;
}

__hidden __noinline int ucalls_leave(void *ctx, void *table, void *key, __u64 measured,
				     __s64 status)
{
	struct histogram_slot zero = {}, *slot;
	struct ucalls_slot slot_key = {};
	struct ucalls_method *method;
	struct ucalls_frame call;
	__u64 took;

	*(__u64 *)key = 0;
	method = bpf_map_lookup_elem(table, key);
	if (!method)
		return 0;
	if (status || measured == VIRTUAL_THREAD_BETWEEN)
		return 0;
	if (measured == UCALLS_NESTS_ON_STACK)
		measured = VIRTUAL_THREAD_NONE;
	if (!pop(this_thread(measured), method->id, &call))
		return 0;
	took = bpf_ktime_get_ns() - call.since_ns;
	if (call.is_outermost)
		__sync_fetch_and_add(&method->time_ns, took);
	if (!ucalls_histograms)
		return 0;
	slot_key.id = method->id;
	slot_key.slot = histogram_slot_of(took);
	slot = table_value(&ucalls_times, &slot_key, &zero);
	if (slot)
		histogram_count(slot, took);
	return 0;
}

SEC("raw_tp/sched_process_exit")
int probe_thread_end(void *ctx)
{
	__u64 thread = this_thread(VIRTUAL_THREAD_NONE);

	bpf_map_delete_elem(&ucalls_threads, &thread);
	return 0;
}

SEC("template")
int ucalls_enter_template(void *ctx)
{
	__u64 key = 0;

	return ucalls_enter(ctx, &ucalls_methods, &key, 0, 0);
}

SEC("template")
int ucalls_leave_template(void *ctx)
{
	__u64 key = 0;

	return ucalls_leave(ctx, &ucalls_methods, &key, 0, 0);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
