/*
 * Counting in tables: what the C halves of generated programs do with a key and a value.
 *
 * A table is a map that the frontend made for one probe. Hash tables take what is not there yet; the
 * atomic additions are right also for per-CPU values, as a program on a uprobe can be preempted by
 * another.
 */
#pragma once

#include "lib/histogram.bpf.h"
#include "lib/table.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, TABLE_LOST);
	__type(key, __u32);
	__type(value, __u64);
} table_lost SEC(".maps");

static __always_inline void table_count_lost(__u32 why)
{
	__u64 *lost = bpf_map_lookup_elem(&table_lost, &why);

	if (lost)
		__sync_fetch_and_add(lost, 1);
}

/* Is there nothing to count? `status` as generated programs give it: the reason is counted. */
static __always_inline int table_refuses(__s64 status)
{
	if (!status)
		return 0;
	table_count_lost(status == -28 /* ENOSPC */ ? TABLE_CALLS : TABLE_UNREADABLE);
	return 1;
}

/* The value of `key`, which starts as `zero`; NULL, and counted, when there is no place for it. */
static __always_inline void *table_value(void *table, const void *key, const void *zero)
{
	void *value = bpf_map_lookup_elem(table, key);

	if (value)
		return value;
	bpf_map_update_elem(table, key, zero, BPF_NOEXIST);
	value = bpf_map_lookup_elem(table, key);
	if (!value)
		table_count_lost(TABLE_FULL);
	return value;
}

/* Values are __u64 counts. */
static __always_inline void table_count(void *table, const void *key)
{
	__u64 zero = 0, *count = table_value(table, key, &zero);

	if (count)
		__sync_fetch_and_add(count, 1);
}

/* Values are slots of a histogram; which slot is part of the key. */
static __always_inline void table_measure_exactly(void *table, const void *key, __u64 value,
						  __u64 exact)
{
	struct histogram_slot zero = {}, *slot = table_value(table, key, &zero);

	if (slot)
		histogram_count_exactly(slot, value, exact);
}

static __always_inline void table_measure(void *table, const void *key, __u64 value)
{
	table_measure_exactly(table, key, value, value);
}
