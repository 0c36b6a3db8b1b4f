/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * argdist: the C functions that its generated programs call (common/expr/compile.h,
 * OutputKind::Key).
 *
 * Each specifier has a table of its own. Without keys the table is a per-CPU array, else a hash map
 * whose keys begin with 8 bytes that we fill in: the slot or bucket of the measured value, or 0 for
 * counts. With -U or -K the stacks follow these bytes.
 */
#include <asm-generic/errno-base.h>

#include "bpf/lib/bpf.h"
#include "bpf/lib/probe.bpf.h"
#include "bpf/unwind/site_stacks.bpf.h"
#include "bpf/lib/sums.bpf.h"
#include "bpf/lib/table.bpf.h"

/*
 * Only the templates below use these maps. They are never attached: they make libbpf prepare the C
 * functions (common/kernel/templates.h). The frontend creates the real tables.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} argdist_counts SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct histogram_slot);
} argdist_slots SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__uint(value_size, sizeof(sums_zero));
} argdist_sums SEC(".maps");

static __always_inline __u32 slot_of(__u64 measured)
{
	/*
	 * A result such as -1 counts as negative even if its type is unsigned: no real value is
	 * that large.
	 */
	return (__s64)measured < 0 ? (__u32)HISTOGRAM_NEGATIVE : histogram_slot_of(measured);
}

/* `measured` is 0 or the number of a linear bucket. */
__hidden __noinline int argdist_count(void *ctx, void *table, void *key, __u64 measured,
				      __s64 status)
{
	__u32 bucket = measured;

	if (!table_refuses(status))
		table_count(table, &bucket);
	return 0;
}

__hidden __noinline int argdist_count_keyed(void *ctx, void *table, void *key, __u64 measured,
					    __s64 status)
{
	if (table_refuses(status))
		return 0;
	*(__u64 *)key = measured;
	table_count(table, key);
	return 0;
}

__hidden __noinline int argdist_measure(void *ctx, void *table, void *key, __u64 measured,
					__s64 status)
{
	__u32 slot = slot_of(measured);

	if (!table_refuses(status))
		table_measure(table, &slot, measured);
	return 0;
}

__hidden __noinline int argdist_measure_keyed(void *ctx, void *table, void *key, __u64 measured,
					      __s64 status)
{
	if (table_refuses(status))
		return 0;
	*(__u64 *)key = slot_of(measured);
	table_measure(table, key, measured);
	return 0;
}

__hidden __noinline int argdist_count_stacks(void *ctx, void *table, void *key, __u64 measured,
					     __s64 status)
{
	struct site_stacks_key *own = key;

	if (table_refuses(status))
		return 0;
	own->own = measured;
	site_stacks(ctx, &own->stacks);
	table_count(table, key);
	return 0;
}

__hidden __noinline int argdist_measure_stacks(void *ctx, void *table, void *key, __u64 measured,
					       __s64 status)
{
	struct site_stacks_key *own = key;

	if (table_refuses(status))
		return 0;
	own->own = slot_of(measured);
	site_stacks(ctx, &own->stacks);
	table_measure(table, key, measured);
	return 0;
}

/* Counts and adds up values: `addends` is their number, and they precede `key` (table_sum()). */
__hidden __noinline int argdist_sum(void *ctx, void *table, void *key, __u64 addends, __s64 status)
{
	__u32 only = 0;

	if (!table_refuses(status))
		table_sum(table, &only, key, addends);
	return 0;
}

__hidden __noinline int argdist_sum_keyed(void *ctx, void *table, void *key, __u64 addends,
					  __s64 status)
{
	if (!table_refuses(status))
		table_sum(table, key, key, addends);
	return 0;
}

__hidden __noinline int argdist_sum_stacks(void *ctx, void *table, void *key, __u64 addends,
					   __s64 status)
{
	struct site_stacks_key *own = key;

	if (table_refuses(status))
		return 0;
	site_stacks(ctx, &own->stacks);
	table_sum(table, key, key, addends);
	return 0;
}

SEC("template")
int argdist_sum_template(void *ctx)
{
	return argdist_sum(ctx, &argdist_sums, NULL, 0, 0);
}

SEC("template")
int argdist_sum_keyed_template(void *ctx)
{
	__u64 key = 0;

	return argdist_sum_keyed(ctx, &argdist_sums, &key, 0, 0);
}

SEC("template")
int argdist_sum_stacks_template(void *ctx)
{
	struct site_stacks_key key = {};

	return argdist_sum_stacks(ctx, &argdist_sums, &key, 0, 0);
}

SEC("template")
int argdist_count_template(void *ctx)
{
	return argdist_count(ctx, &argdist_counts, NULL, 0, 0);
}

SEC("template")
int argdist_count_keyed_template(void *ctx)
{
	__u64 key = 0;

	return argdist_count_keyed(ctx, &argdist_counts, &key, 0, 0);
}

SEC("template")
int argdist_measure_template(void *ctx)
{
	return argdist_measure(ctx, &argdist_slots, NULL, 0, 0);
}

SEC("template")
int argdist_measure_keyed_template(void *ctx)
{
	__u64 key = 0;

	return argdist_measure_keyed(ctx, &argdist_slots, &key, 0, 0);
}

SEC("template")
int argdist_count_stacks_template(void *ctx)
{
	struct site_stacks_key key = {};

	return argdist_count_stacks(ctx, &argdist_counts, &key, 0, 0);
}

SEC("template")
int argdist_measure_stacks_template(void *ctx)
{
	struct site_stacks_key key = {};

	return argdist_measure_stacks(ctx, &argdist_slots, &key, 0, 0);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
