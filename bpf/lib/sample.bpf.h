/* Chooses which events are counted, if there are too many (--every, --sample). */
#pragma once

#include "bpf/lib/table.bpf.h"

const volatile __u32 sample_every = 0;	/* each CPU counts one of this many events; 0: all */
const volatile __u32 sample_chance = 0; /* of 2^32, for each event; 0: all */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} sample_seen SEC(".maps");

/* Returns whether the event is not one of the sample. */
static __always_inline bool sample_skips(void)
{
	__u32 zero = 0;
	__u64 *seen, number;

	if (sample_chance)
		return bpf_get_prandom_u32() >= sample_chance;
	if (!sample_every)
		return false;
	seen = bpf_map_lookup_elem(&sample_seen, &zero);
	if (!seen)
		return false;
	/* Programs that interrupt one another may count one number twice. */
	number = *seen + 1;
	*seen = number < sample_every ? number : 0;
	return number < sample_every;
}
