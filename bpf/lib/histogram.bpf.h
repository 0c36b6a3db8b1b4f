/* Adds values to a slot of a histogram (bpf/lib/histogram.h). */
#pragma once

#include "bpf/lib/histogram.h"

/*
 * Counts `value` in its slot. `exact` is the same value before it was truncated to whole units: the
 * sum is exact (bpf/lib/histogram.h).
 */
static __always_inline void histogram_count_exactly(struct histogram_slot *slot, __u64 value,
						    __u64 exact)
{
	/* Atomic also on a per-CPU value: a program on a uprobe can be preempted by another. */
	__sync_fetch_and_add(&slot->count, 1);
	__sync_fetch_and_add(&slot->sum, exact);
	if (value > slot->max)
		slot->max = value;
}

static __always_inline void histogram_count(struct histogram_slot *slot, __u64 value)
{
	histogram_count_exactly(slot, value, value);
}
