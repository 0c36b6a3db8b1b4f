/*
 * The maps that generated programs use beside the tool's own: probe/kernel_maps.h sets them up.
 *
 * A tool that remembers something of threads defines a program probe_thread_end(), which forgets it:
 * it is attached to sched_process_exit, together with the generated programs.
 */
#pragma once

#include "lib/follow.bpf.h"
#include "lib/site.bpf.h"

/*
 * Calls under way, for $entry() and $latency: {tgid, stack pointer} -> what the entry saved.
 *
 * Not all calls return: panics, exceptions, longjmp() and the end of a process leave some behind, of
 * which the oldest make place. If one did that was under way after all, its return finds nothing, and
 * is counted as lost.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
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
