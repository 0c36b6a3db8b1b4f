/*
 * Times from an event to a later one with the same key, such as from the begin to the end of a
 * request. The key is the thread, or up to PAIR_KEYS values that both events have.
 *
 * A start waits for its end in an LRU map. If a start with the same key comes first, it replaces
 * the one that waits: an end belongs to the latest start before it. So pairs of one key do not
 * nest. Each start has one of these outcomes:
 *
 *     it has an end         a pair, whose time is measured
 *     it was replaced       PAIR_REPLACED
 *     it still waits        in the map
 *     it was forgotten      the rest: the map was full
 */
#pragma once

#include "bpf/lib/abi.h"

enum { PAIR_KEYS = 4 };

/* The frontend shortens the map's keys to the values that there are. */
struct pair_key {
	__u32 tgid; /* 0: starts and ends of all processes belong together */
	__u32 padding;
	__u64 values[PAIR_KEYS]; /* without a key: the thread */
};
ABI_SIZE(pair_key, 40);

/* Counters: keys of pair_counts, a per-CPU array. */
enum pair_count {
	PAIR_STARTED,	/* starts */
	PAIR_REPLACED,	/* starts that were replaced */
	PAIR_ENDED,	/* ends that had a start */
	PAIR_UNMATCHED, /* ends that had none */
	PAIR_COUNTS,
};
