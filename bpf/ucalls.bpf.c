/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ucalls: the C half of its programs, which are generated (common/expr/program.h, Sink::Key).
 *
 * A runtime tells by one probe that a method is entered and by another that it is left, with the
 * method's names at both. What belongs together is found by a stack for each thread, as deep as the
 * calls are:
 *
 *     threads   {tid}         -> how many calls are under way
 *     frames    {tid, level}  -> the method's id, when it was entered, whether it is the outermost
 *     outermost {tid, id}     -> the level of the method's outermost call
 *
 * A return belongs to the innermost call of its method. Calls above that have been left without a
 * return - by an exception, in some runtimes - and are dropped. A return that has no call among the
 * innermost UCALLS_UNWOUND was entered before the tracing began, and is passed over.
 *
 * Nothing tells that a thread has ended, so these maps forget what was used longest ago.
 */
#include "lib/bpf.h"
#include "lib/probe.bpf.h"
#include "lib/table.bpf.h"
#include "ucalls.h"

enum {
	UCALLS_UNWOUND = 16,
	UCALLS_UNDER_WAY = 65536,
	UCALLS_THREADS = 16384,
};

const volatile bool ucalls_latency = false;
const volatile bool ucalls_histograms = false;

/* Only for the templates, which are never attached; the frontend makes the real ones. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, struct ucalls_method);
} ucalls_methods SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1); /* set by the frontend */
	__type(key, struct ucalls_slot);
	__type(value, struct histogram_slot);
} ucalls_times SEC(".maps");

struct ucalls_level {
	__u32 tid;
	__u32 level;
};
struct ucalls_frame {
	__u64 id;
	__u64 since_ns;
	__u64 is_outermost;
};
struct ucalls_thread_method {
	__u64 id;
	__u64 tid;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, UCALLS_THREADS);
	__type(key, __u32);
	__type(value, __u32);
} ucalls_threads SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, UCALLS_UNDER_WAY);
	__type(key, struct ucalls_level);
	__type(value, struct ucalls_frame);
} ucalls_frames SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, UCALLS_UNDER_WAY);
	__type(key, struct ucalls_thread_method);
	__type(value, __u32);
} ucalls_outermost SEC(".maps");

/* Is a call of the method under way, below `level`? Else this one becomes its outermost. */
static __always_inline bool is_inner(__u32 tid, __u64 id, __u32 level)
{
	struct ucalls_thread_method key = {.id = id, .tid = tid};
	struct ucalls_level outer = {.tid = tid};
	struct ucalls_frame *frame;
	__u32 *found = bpf_map_lookup_elem(&ucalls_outermost, &key);

	if (found && *found < level) {
		outer.level = *found;
		frame = bpf_map_lookup_elem(&ucalls_frames, &outer);
		if (frame && frame->id == id)
			return true;
	}
	bpf_map_update_elem(&ucalls_outermost, &key, &level, BPF_ANY);
	return false;
}

static __always_inline void push(__u64 id)
{
	__u32 tid = bpf_get_current_pid_tgid(), zero = 0, *levels;
	struct ucalls_level key = {.tid = tid};
	struct ucalls_frame frame = {.id = id};

	levels = bpf_map_lookup_elem(&ucalls_threads, &tid);
	if (!levels) {
		bpf_map_update_elem(&ucalls_threads, &tid, &zero, BPF_ANY);
		levels = bpf_map_lookup_elem(&ucalls_threads, &tid);
	}
	if (!levels) {
		table_count_lost(TABLE_CALLS);
		return;
	}
	key.level = (*levels)++;
	frame.is_outermost = !is_inner(tid, id, key.level);
	frame.since_ns = bpf_ktime_get_ns();
	if (bpf_map_update_elem(&ucalls_frames, &key, &frame, BPF_ANY))
		table_count_lost(TABLE_CALLS);
}

/* The innermost call of the method, which is taken off the stack with all above it; or NULL. */
static __always_inline struct ucalls_frame *pop(__u64 id)
{
	__u32 tid = bpf_get_current_pid_tgid(), *levels;
	struct ucalls_level key = {.tid = tid};
	struct ucalls_frame *frame;

	levels = bpf_map_lookup_elem(&ucalls_threads, &tid);
	if (!levels)
		return NULL;
	key.level = *levels;
#pragma unroll
	for (int i = 0; i < UCALLS_UNWOUND; i++) {
		if (key.level == 0)
			return NULL;
		key.level--;
		frame = bpf_map_lookup_elem(&ucalls_frames, &key);
		if (frame && frame->id == id) {
			*levels = key.level;
			return frame;
		}
	}
	return NULL;
}

__hidden __noinline int ucalls_enter(void *ctx, void *table, void *key, __u64 measured,
				     __s64 status)
{
	struct ucalls_method first = {}, *method;

	*(__u64 *)key = 0;
	method = bpf_map_lookup_elem(table, key);
	if (!method) {
		first.id = (__u64)bpf_get_prandom_u32() << 32 | bpf_get_prandom_u32();
		method = table_value(table, key, &first);
	}
	if (!method)
		return 0;
	__sync_fetch_and_add(&method->calls, 1);
	if (ucalls_latency)
		push(method->id);
	return 0;
}

__hidden __noinline int ucalls_leave(void *ctx, void *table, void *key, __u64 measured,
				     __s64 status)
{
	struct histogram_slot zero = {}, *slot;
	struct ucalls_slot slot_key = {};
	struct ucalls_method *method;
	struct ucalls_frame *frame;
	__u64 took;

	*(__u64 *)key = 0;
	method = bpf_map_lookup_elem(table, key);
	if (!method)
		return 0;
	frame = pop(method->id);
	if (!frame)
		return 0;
	took = bpf_ktime_get_ns() - frame->since_ns;
	if (frame->is_outermost)
		__sync_fetch_and_add(&method->time_ns, took);
	if (!ucalls_histograms)
		return 0;
	slot_key.id = method->id;
	slot_key.slot = histogram_slot_of(took);
	slot = table_value(&ucalls_times, &slot_key, &zero);
	if (slot)
		histogram_count(slot, took);
	return 0;
}

SEC("uprobe")
int ucalls_enter_template(void *ctx)
{
	__u64 key = 0;

	return ucalls_enter(ctx, &ucalls_methods, &key, 0, 0);
}

SEC("uprobe")
int ucalls_leave_template(void *ctx)
{
	__u64 key = 0;

	return ucalls_leave(ctx, &ucalls_methods, &key, 0, 0);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
