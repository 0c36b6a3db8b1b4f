/* Measures the time from one event to another with the same key (bpf/lib/pairs.h). */
#pragma once

#include "bpf/lib/pairs.h"
#include "bpf/lib/sums.h"
#include "bpf/lib/table.bpf.h"

const volatile bool pairs_across_processes = false;

/* key -> bpf_ktime_get_ns() of the start; 0: there is none (only if threads are the keys) */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, struct pair_key);
	__type(value, __u64);
} pair_starts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, PAIR_COUNTS);
	__type(key, __u32);
	__type(value, __u64);
} pair_counts SEC(".maps");

static __always_inline void pair_count(__u32 what)
{
	__u64 *count = bpf_map_lookup_elem(&pair_counts, &what);

	if (count)
		__sync_fetch_and_add(count, 1);
}

/*
 * Fills the key from the `count` addends that precede `end`; without any, the key is the thread. If
 * one of them could not be read, counts a lost event and returns non-zero.
 */
static __always_inline int pair_fill_key(struct pair_key *key, const struct sums_addend *end,
					 __u64 count)
{
	__u64 ids = bpf_get_current_pid_tgid();

	if (count == 0) {
		key->values[0] = ids;
		return 0;
	}
	key->tgid = pairs_across_processes ? 0 : ids >> 32;
#pragma unroll
	for (__u32 i = 0; i < PAIR_KEYS; i++) {
		if (i >= count)
			break;
		if (table_refuses(end[-1 - (int)i].status))
			return 1;
		key->values[i] = end[-1 - (int)i].value;
	}
	return 0;
}

static __always_inline void pair_start(const struct sums_addend *end, __u64 count)
{
	__u64 now = bpf_ktime_get_ns(), *start;
	struct pair_key key = {};

	if (pair_fill_key(&key, end, count))
		return;
	pair_count(PAIR_STARTED);
	start = bpf_map_lookup_elem(&pair_starts, &key);
	if (!start) {
		bpf_map_update_elem(&pair_starts, &key, &now, BPF_ANY);
		return;
	}
	if (*start)
		pair_count(PAIR_REPLACED);
	*start = now;
}

/* Returns the time since the start, in nanoseconds, or -1 if there was no start. */
static __always_inline __s64 pair_end(const struct sums_addend *end, __u64 count)
{
	__u64 now = bpf_ktime_get_ns(), began = 0, *start;
	struct pair_key key = {};

	if (pair_fill_key(&key, end, count))
		return -1;
	start = bpf_map_lookup_elem(&pair_starts, &key);
	if (start)
		began = *start;
	if (began && count == 0)
		*start = 0; /* the thread's next start uses the entry again */
	else if (began && bpf_map_delete_elem(&pair_starts, &key))
		began = 0; /* another end on another processor was faster */
	if (!began) {
		pair_count(PAIR_UNMATCHED);
		return -1;
	}
	pair_count(PAIR_ENDED);
	return now > began ? now - began : 0;
}
