/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * readlat: histograms of how long read() and its relatives take.
 *
 * Each system call has two tracepoints. At the first we store, for the thread, when the call began;
 * at the second we add its duration to a slot of a histogram. The second one fires even if the
 * thread is killed in the call, so the stored entry is always deleted. readlat-type.bpf.c compiles
 * this file again, for --by-type.
 */
#include "bpf/lib/bpf.h"
#include "bpf/readlat.h"
#include "bpf/lib/filter.bpf.h"
#include "bpf/lib/histogram.bpf.h"
#ifdef READLAT_BY_TYPE
#include "bpf/lib/file.bpf.h"
#endif

const volatile struct readlat_config readlat_config = {};

struct readlat_start {
	__u64 ts_ns;
	__u64 type;
};

/* Calls under way, by thread, including the many that wait for a client. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, struct readlat_start);
} readlat_starts SEC(".maps");

/* A process uses about fifty slots; unused entries cost no memory. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 131072);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct readlat_key);
	__type(value, struct histogram_slot);
} readlat_slots SEC(".maps");

/* Counts calls for which one of the two maps was full. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, READLAT_LOST);
	__type(key, __u32);
	__type(value, __u64);
} readlat_lost SEC(".maps");

static __always_inline void count_lost(__u32 why)
{
	__u64 *lost = bpf_map_lookup_elem(&readlat_lost, &why);

	if (lost)
		__sync_fetch_and_add(lost, 1);
}

#ifdef READLAT_BY_TYPE
static __always_inline __u32 type_of(__u32 descriptor)
{
	switch (file_type(descriptor)) {
	case FILE_REGULAR:
		return READLAT_REGULAR;
	case FILE_DIRECTORY:
		return READLAT_DIRECTORY;
	case FILE_SOCKET:
		return READLAT_SOCKET;
	case FILE_PIPE:
		return READLAT_PIPE;
	case FILE_CHARACTER:
		return READLAT_CHARACTER;
	case FILE_BLOCK:
		return READLAT_BLOCK;
	case FILE_ANONYMOUS:
		return READLAT_ANONYMOUS;
	}
	return READLAT_UNKNOWN;
}
#else
static __always_inline __u32 type_of(__u32 descriptor)
{
	return READLAT_UNKNOWN;
}
#endif

SEC("tp")
int readlat_enter(struct trace_event_raw_sys_enter *ctx)
{
	__u32 thread = bpf_get_current_pid_tgid();
	struct readlat_start start = {};

	if (!filter_passes(filter_ids()))
		return 0;
	start.type = type_of(ctx->args[0]); /* the first argument of all calls is the descriptor */
	start.ts_ns = bpf_ktime_get_ns();
	if (bpf_map_update_elem(&readlat_starts, &thread, &start, BPF_ANY))
		count_lost(READLAT_CALLS_FULL);
	return 0;
}

static __always_inline void add(const struct readlat_key *key, __u64 value, __u64 exact)
{
	struct histogram_slot zero = {}, *slot = bpf_map_lookup_elem(&readlat_slots, key);

	if (!slot) {
		bpf_map_update_elem(&readlat_slots, key, &zero, BPF_NOEXIST);
		slot = bpf_map_lookup_elem(&readlat_slots, key);
	}
	if (slot)
		histogram_count_exactly(slot, value, exact);
	else
		count_lost(READLAT_SLOTS_FULL);
}

SEC("tp")
int readlat_exit(struct trace_event_raw_sys_exit *ctx)
{
	__u64 now_ns = bpf_ktime_get_ns();
	__u32 thread = bpf_get_current_pid_tgid();
	struct readlat_start *noted = bpf_map_lookup_elem(&readlat_starts, &thread), start;
	struct readlat_key key = {};
	__u64 took_ns, took, value;

	if (!noted)
		return 0;
	start = *noted;
	bpf_map_delete_elem(&readlat_starts, &thread);
	if (ctx->ret < 0 && !readlat_config.failed)
		return 0;
	took_ns = now_ns - start.ts_ns;
	took = took_ns / readlat_config.unit_ns;
	if (took_ns < readlat_config.min_ns)
		return 0;

	value = readlat_config.bytes ? ctx->ret : took;
	key.slot = (__s64)value < 0 ? HISTOGRAM_NEGATIVE : histogram_slot_of(value);
	key.type = start.type;
	if (readlat_config.by_call)
		key.call = ctx->id + 1;
	if (readlat_config.by_process)
		key.tgid = filter_ids() >> 32;
	bpf_get_current_comm(key.comm, sizeof(key.comm));
	add(&key, value, readlat_config.bytes ? value : took_ns);
	return 0;
}

#ifndef READLAT_BY_TYPE
char LICENSE[] SEC("license") = "Dual BSD/GPL";
#endif
