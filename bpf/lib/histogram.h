/*
 * Histograms as BPF programs keep them.
 *
 * A value's power of two and the HISTOGRAM_BITS bits below its leading one select its slot, so a
 * slot is at most 1/16 of its values wide: narrow enough for percentiles. The values from one power
 * of two to the next fill a whole number of slots, so the coarser log2 histogram can add up slots.
 * For example
 *
 *     0 … 31 have a slot each (slots 0 … 31); then 32-33 is slot 32, 34-35 slot 33,
 *     … 62-63 slot 47, 64-67 slot 48 …
 *
 * Each slot also has the sum and the maximum of its values. Averages are exact; so is the maximum,
 * unless two threads update it within nanoseconds on one CPU. For times in microseconds or
 * milliseconds, the sum is in nanoseconds: values are truncated to whole units, the sum is not.
 */
#pragma once

#include "bpf/lib/abi.h"

enum {
	HISTOGRAM_BITS = 4,
	HISTOGRAM_VALUES = (64 - HISTOGRAM_BITS + 1) << HISTOGRAM_BITS, /* slots of values >= 0 */
	HISTOGRAM_NEGATIVE = HISTOGRAM_VALUES, /* the slot of all values below zero */
	HISTOGRAM_SLOTS = HISTOGRAM_VALUES + 1,
};

struct histogram_slot {
	__u64 count;
	__u64 sum; /* modulo 2^64 */
	__u64 max;
};
ABI_SIZE(histogram_slot, 24);

/*
 * Returns the index of the highest set bit; `value` must not be 0. There is no loop, because old
 * verifiers refuse loops.
 */
static inline __attribute__((always_inline)) __u32 histogram_log2(__u64 value)
{
	__u32 log = 0;

	if (value >> 32) {
		value >>= 32;
		log = 32;
	}
	if (value >> 16) {
		value >>= 16;
		log += 16;
	}
	if (value >> 8) {
		value >>= 8;
		log += 8;
	}
	if (value >> 4) {
		value >>= 4;
		log += 4;
	}
	if (value >> 2) {
		value >>= 2;
		log += 2;
	}
	return log + (value >> 1);
}

static inline __attribute__((always_inline)) __u32 histogram_slot_of(__u64 value)
{
	__u32 log;

	if (value < 1 << HISTOGRAM_BITS)
		return value;
	log = histogram_log2(value);
	return ((log - HISTOGRAM_BITS + 1) << HISTOGRAM_BITS) +
	       (value >> (log - HISTOGRAM_BITS) & ((1 << HISTOGRAM_BITS) - 1));
}
