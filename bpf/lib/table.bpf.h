/*
 * Counts events in tables. For the C functions that generated programs call with a table, a key and
 * a value.
 *
 * A table is a map that the frontend creates for one probe. In hash tables we add missing keys.
 * Per-CPU values need atomic additions as well, because another program can preempt a program on a
 * uprobe.
 */
#pragma once

#include "bpf/lib/histogram.bpf.h"
#include "bpf/lib/table.h"

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

/*
 * Returns whether `status`, which generated programs pass, is an error. Then it counts a lost
 * event.
 */
static __always_inline int table_refuses(__s64 status)
{
	if (!status)
		return 0;
	table_count_lost(status == -28 /* ENOSPC */ ? TABLE_CALLS : TABLE_UNREADABLE);
	return 1;
}

/*
 * Returns the value of `key`; a new key has the value `zero`. If the table is full, counts a lost
 * event and returns NULL.
 */
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

/* Adds 1 to the count of `key`. The table's values are __u64. */
static __always_inline void table_count(void *table, const void *key)
{
	__u64 zero = 0, *count = table_value(table, key, &zero);

	if (count)
		__sync_fetch_and_add(count, 1);
}

/*
 * Adds `value` to the slot of a histogram. The table's values are slots, whose number is a part of
 * the key.
 */
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
