/*
 * The maps that generated programs use beside the tool's own: probe/kernel_maps.h sets them up.
 */
#pragma once

#include "lib/follow.bpf.h"
#include "lib/site.bpf.h"

/* Calls under way, for $entry() and $latency: {tgid, stack pointer} -> what the entry saved. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, 16);
	__uint(value_size, 8); /* set by the frontend */
} probe_calls SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 8); /* the same */
} probe_call_zero SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 4);
} probe_cgroup SEC(".maps");
