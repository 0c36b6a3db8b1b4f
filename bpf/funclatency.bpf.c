/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * funclatency: the C functions that its generated program calls (common/expr/compile.h,
 * OutputKind::Key). The generated code measures each call separately, so recursive calls need no
 * code here.
 *
 * With -l we measure only the outermost calls. For each thread we keep the stack pointers of its
 * measured calls under way. An inner call has a lower stack pointer than its callers. So at an
 * entry, all calls whose stack pointer is not above the new one have ended, even if their return
 * was never seen (longjmp, exceptions, exec). If no slot is free after that, the call is too deep.
 * We delete the state of a thread when it ends.
 */
#include "bpf/lib/bpf.h"
#include "bpf/lib/probe.bpf.h"
#include "bpf/unwind/site_stacks.bpf.h"
#include "bpf/lib/pairs.bpf.h"
#include "bpf/lib/table.bpf.h"
#include "bpf/funclatency.h"

/*
 * Only the templates below use this map. They are never attached: they make libbpf prepare the C
 * functions (common/kernel/templates.h). The frontend creates the real table.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct histogram_slot);
} funclatency_table SEC(".maps");

const volatile __u32 funclatency_levels = 0; /* 0: all calls */
const volatile __u64 funclatency_unit_ns = 1;
const volatile __u64 funclatency_min_ns = 0; /* for pairs of events */

struct funclatency_thread {
	__u64 stack_pointers[FUNCLATENCY_LEVELS]; /* 0: free */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, struct funclatency_thread);
} funclatency_threads SEC(".maps");

static __always_inline __u64 stack_pointer(void *ctx)
{
#ifdef __TARGET_ARCH_x86
	return ((struct pt_regs *)ctx)->sp;
#else
	return ((struct user_pt_regs *)ctx)->sp;
#endif
}

/* Returns non-zero if the call is too deep. */
static __always_inline int enter(void *ctx)
{
	__u64 own = stack_pointer(ctx);
	__u32 tid = bpf_get_current_pid_tgid();
	struct funclatency_thread *thread = bpf_map_lookup_elem(&funclatency_threads, &tid);
	bool has_slot = false;

	if (!thread) {
		struct funclatency_thread first = {.stack_pointers = {own}};

		if (!bpf_map_update_elem(&funclatency_threads, &tid, &first, BPF_ANY))
			return 0;
		table_count_lost(TABLE_CALLS);
		return 1;
	}
#pragma unroll
	for (__u32 i = 0; i < FUNCLATENCY_LEVELS; i++) {
		if (i >= funclatency_levels || thread->stack_pointers[i] > own)
			continue;
		thread->stack_pointers[i] = has_slot ? 0 : own;
		has_slot = true;
	}
	return !has_slot;
}

/* Returns whether enter() chose this call to be measured. */
static __always_inline bool leave(void *ctx)
{
	__u64 own = site_entry_stack(ctx);
	__u32 tid = bpf_get_current_pid_tgid();
	struct funclatency_thread *thread = bpf_map_lookup_elem(&funclatency_threads, &tid);
	bool was_measured = false;

	if (!thread)
		return false;
#pragma unroll
	for (__u32 i = 0; i < FUNCLATENCY_LEVELS; i++) {
		if (i >= funclatency_levels || thread->stack_pointers[i] > own)
			continue;
		was_measured |= thread->stack_pointers[i] == own;
		thread->stack_pointers[i] = 0;
	}
	return was_measured;
}

/*
 * Returns whether there is nothing to count, as at a function's entry. `*result` becomes the
 * program's return value.
 */
static __always_inline bool is_no_return(void *ctx, __s64 status, int *result)
{
	*result = 0;
	if (!funclatency_levels)
		return status < 0 && table_refuses(status);
	if (status == TABLE_AT_ENTRY) {
		*result = enter(ctx);
		return true;
	}
	/*
	 * A return without a known entry is a loss only if leave() confirms that we measured the
	 * call.
	 */
	return (!leave(ctx) && status < 0) || table_refuses(status);
}

__hidden __noinline int funclatency_measure(void *ctx, void *table, void *key, __u64 measured,
					    __s64 status)
{
	__u64 value = measured / funclatency_unit_ns;
	__u32 slot = histogram_slot_of(value);
	int result;

	if (!is_no_return(ctx, status, &result))
		table_measure_exactly(table, &slot, value, measured);
	return result;
}

__hidden __noinline int funclatency_measure_keyed(void *ctx, void *table, void *key, __u64 measured,
						  __s64 status)
{
	__u64 value = measured / funclatency_unit_ns;
	int result;

	if (is_no_return(ctx, status, &result))
		return result;
	*(__u64 *)key = histogram_slot_of(value) | (__u64)site_number(ctx) << 32;
	table_measure_exactly(table, key, value, measured);
	return 0;
}

__hidden __noinline int funclatency_measure_stacks(void *ctx, void *table, void *key,
						   __u64 measured, __s64 status)
{
	__u64 value = measured / funclatency_unit_ns;
	struct site_stacks_key *own = key;
	int result;

	if (is_no_return(ctx, status, &result))
		return result;
	own->own = histogram_slot_of(value) | (__u64)site_number(ctx) << 32;
	site_stacks(ctx, &own->stacks);
	table_measure_exactly(table, key, value, measured);
	return 0;
}

/* The two events of a pair: `values` values of the key precede `key` (pair_fill_key()). */
__hidden __noinline int funclatency_from(void *ctx, void *table, void *key, __u64 values,
					 __s64 status)
{
	if (!table_refuses(status))
		pair_start(key, values);
	return 0;
}

__hidden __noinline int funclatency_to(void *ctx, void *table, void *key, __u64 values,
				       __s64 status)
{
	__s64 latency;
	__u64 value;
	__u32 slot;

	if (table_refuses(status))
		return 0;
	latency = pair_end(key, values);
	if (latency < 0 || (__u64)latency < funclatency_min_ns)
		return 0;
	value = latency / funclatency_unit_ns;
	slot = histogram_slot_of(value);
	table_measure_exactly(table, &slot, value, latency);
	return 0;
}

SEC("raw_tp/sched_process_exit")
int probe_thread_end(void *ctx)
{
	__u32 tid = bpf_get_current_pid_tgid();

	bpf_map_delete_elem(&funclatency_threads, &tid);
	return 0;
}

SEC("template")
int funclatency_from_template(void *ctx)
{
	return funclatency_from(ctx, &funclatency_table, NULL, 0, 0);
}

SEC("template")
int funclatency_to_template(void *ctx)
{
	return funclatency_to(ctx, &funclatency_table, NULL, 0, 0);
}

SEC("template")
int funclatency_measure_template(void *ctx)
{
	return funclatency_measure(ctx, &funclatency_table, NULL, 0, 0);
}

SEC("template")
int funclatency_measure_keyed_template(void *ctx)
{
	__u64 key = 0;

	return funclatency_measure_keyed(ctx, &funclatency_table, &key, 0, 0);
}

SEC("template")
int funclatency_measure_stacks_template(void *ctx)
{
	struct site_stacks_key key = {};

	return funclatency_measure_stacks(ctx, &funclatency_table, &key, 0, 0);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
