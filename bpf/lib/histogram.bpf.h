/* Adding to a histogram (lib/histogram.h), with and without keys. */
#pragma once

#include "lib/histogram.h"

static __always_inline void histogram_count(struct histogram_slot *slot, __u64 value)
{
	/* Atomic also on a per-CPU value: a program on a uprobe can be preempted by another. */
	__sync_fetch_and_add(&slot->count, 1);
	__sync_fetch_and_add(&slot->sum, value);
	if (value > slot->max)
		slot->max = value;
}
