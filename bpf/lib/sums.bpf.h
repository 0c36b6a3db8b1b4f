/* Adds up values in tables (bpf/lib/sums.h). */
#pragma once

#include "bpf/lib/sums.h"
#include "bpf/lib/table.bpf.h"

const volatile bool sums_have_extremes = false; /* is a minimum or a maximum wanted? */
__u64 sums_interval = 0;			/* the number of the interval under way */

/* A new entry of any such table. */
static const __u64 sums_zero[1 + SUMS_MAX * sizeof(struct sum) / sizeof(__u64)] = {};

static __always_inline void sums_add_extremes(struct sum *sum, __s64 value)
{
	__u64 interval = sums_interval, ordered = (__u64)value ^ 1ull << 63;
	struct sums_extremes *extremes = &sum->extremes[interval & 1];

	/* Exact, unless two threads do this within nanoseconds on one CPU. */
	if (extremes->interval != interval) {
		extremes->max = ordered;
		extremes->min = ~ordered;
		extremes->interval = interval;
		return;
	}
	if (ordered > extremes->max)
		extremes->max = ordered;
	if (~ordered > extremes->min)
		extremes->min = ~ordered;
}

/*
 * Adds the `count` addends that precede `end` to the entry of `key`, and counts the event. If one
 * of them could not be read, counts a lost event instead.
 */
static __always_inline void table_sum(void *table, const void *key, const struct sums_addend *end,
				      __u64 count)
{
	__u64 *entry;

#pragma unroll
	for (__u32 i = 0; i < SUMS_MAX; i++) {
		if (i < count && table_refuses(end[-1 - (int)i].status))
			return;
	}
	entry = table_value(table, key, sums_zero);
	if (!entry)
		return;
	__sync_fetch_and_add(entry, 1);
#pragma unroll
	for (__u32 i = 0; i < SUMS_MAX; i++) {
		struct sum *sum = (struct sum *)(entry + 1) + i;
		__s64 value;

		if (i >= count)
			break;
		value = end[-1 - (int)i].value;
		__sync_fetch_and_add(&sum->low, (__u32)value);
		__sync_fetch_and_add(&sum->high, value >> 32);
		if (sums_have_extremes)
			sums_add_extremes(sum, value);
	}
}
