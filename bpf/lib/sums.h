/*
 * Sums as BPF programs keep them: for each key of a table, the number of events and, for each of up
 * to SUMS_MAX expressions, the sum, the minimum and the maximum of its values.
 *
 * The value of such a table has 8 bytes for the count, and a `struct sum` for each expression.
 */
#pragma once

#include "bpf/lib/abi.h"

enum { SUMS_MAX = 4 };

/*
 * A value that a generated program passes. The first one precedes the key on the program's stack,
 * the second one precedes the first.
 */
struct sums_addend {
	__s64 value;
	__s32 status; /* 0, or -errno: it could not be read or calculated */
	__u32 padding;
};
ABI_SIZE(sums_addend, 16);

/*
 * The extremes of an interval, which the frontend numbers. A new table has only zeros, so both are
 * stored as numbers whose least value, 0, means "none": `max` is value + 2^63, `min` its
 * complement.
 */
struct sums_extremes {
	__u64 interval;
	__u64 max, min;
};
ABI_SIZE(sums_extremes, 24);

/*
 * A sum is high * 2^32 + low, so it is exact also beyond 64 bits: each of the two would take 2^32
 * events to overflow. The intervals alternate between the two pairs of extremes, so the frontend
 * can read those of an interval that has ended.
 */
struct sum {
	__u64 low;
	__s64 high;
	struct sums_extremes extremes[2];
};
ABI_SIZE(sum, 64);
