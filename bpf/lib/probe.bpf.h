/*
 * The maps that generated programs use in addition to the tool's own; probe/kernel_maps.h sets them
 * up.
 *
 * A tool that keeps state for threads defines a program probe_thread_end(), which deletes the state
 * of a thread. It is attached to sched_process_exit together with the generated programs.
 */
#pragma once

#include "bpf/lib/follow.bpf.h"
#include "bpf/lib/site.bpf.h"

/*
 * Calls under way, for the expressions $entry() and $latency: {tgid, stack pointer} -> values that
 * the program at the entry has saved.
 *
 * Not all calls return: panics, exceptions, longjmp() and the end of a process leave entries
 * behind. The map drops the least recently used entries. If it drops a call that is still under
 * way, the return finds no entry and is counted as lost.
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
	__uint(value_size, 8); /* set by the frontend */
} probe_call_zero SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 4);
} probe_cgroup SEC(".maps");
