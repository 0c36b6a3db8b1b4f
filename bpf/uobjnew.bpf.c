/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * uobjnew: the C functions that its generated programs call (common/expr/compile.h,
 * OutputKind::Key).
 *
 * Each probe has its own table, whose values count objects and bytes. If the probe has a key (a
 * type, a size), the table is a hash map. Its keys begin with 8 bytes for the tool's own use, which
 * uobjnew sets to 0. With -U, the stacks follow these bytes.
 */
#include "bpf/lib/bpf.h"
#include "bpf/runtimes/inner_call.bpf.h"
#include "bpf/lib/probe.bpf.h"
#include "bpf/unwind/site_stacks.bpf.h"
#include "bpf/lib/table.bpf.h"

/*
 * Only the templates below use this map. They are never attached: they make libbpf prepare the C
 * functions (common/kernel/templates.h). The frontend creates the real tables.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, struct histogram_slot);
} uobjnew_table SEC(".maps");

__hidden __noinline int uobjnew_count(void *ctx, void *table, void *key, __u64 measured,
				      __s64 status)
{
	__u32 index = 0;

	if (!table_refuses(status))
		table_measure(table, &index, measured);
	return 0;
}

__hidden __noinline int uobjnew_count_keyed(void *ctx, void *table, void *key, __u64 measured,
					    __s64 status)
{
	if (table_refuses(status))
		return 0;
	*(__u64 *)key = 0;
	table_measure(table, key, measured);
	return 0;
}

/* For functions that allocate: counts only outermost calls. */
__hidden __noinline int uobjnew_allocate_keyed(void *ctx, void *table, void *key, __u64 measured,
					       __s64 status)
{
	if (inner_call_enter(ctx) || table_refuses(status))
		return 0;
	*(__u64 *)key = 0;
	table_measure(table, key, measured);
	return 0;
}

static __always_inline void count_stacks(void *ctx, void *table, void *key, __u64 measured)
{
	struct site_stacks_key *own = key;

	own->own = 0;
	site_stacks(ctx, &own->stacks);
	table_measure(table, key, measured);
}

__hidden __noinline int uobjnew_count_stacks(void *ctx, void *table, void *key, __u64 measured,
					     __s64 status)
{
	if (!table_refuses(status))
		count_stacks(ctx, table, key, measured);
	return 0;
}

/* For functions that allocate: counts only outermost calls. */
__hidden __noinline int uobjnew_allocate_stacks(void *ctx, void *table, void *key, __u64 measured,
						__s64 status)
{
	if (!inner_call_enter(ctx) && !table_refuses(status))
		count_stacks(ctx, table, key, measured);
	return 0;
}

SEC("template")
int uobjnew_count_template(void *ctx)
{
	return uobjnew_count(ctx, &uobjnew_table, NULL, 0, 0);
}

SEC("template")
int uobjnew_count_keyed_template(void *ctx)
{
	__u64 key = 0;

	return uobjnew_count_keyed(ctx, &uobjnew_table, &key, 0, 0);
}

SEC("template")
int uobjnew_allocate_keyed_template(void *ctx)
{
	__u64 key = 0;

	return uobjnew_allocate_keyed(ctx, &uobjnew_table, &key, 0, 0);
}

SEC("template")
int uobjnew_count_stacks_template(void *ctx)
{
	struct site_stacks_key key = {};

	return uobjnew_count_stacks(ctx, &uobjnew_table, &key, 0, 0);
}

SEC("template")
int uobjnew_allocate_stacks_template(void *ctx)
{
	struct site_stacks_key key = {};

	return uobjnew_allocate_stacks(ctx, &uobjnew_table, &key, 0, 0);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
