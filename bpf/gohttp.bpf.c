/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * gohttp: the C function that its generated programs call; common/wire/go_values.h lists their
 * values.
 */
#include "bpf/lib/bpf.h"
#include "bpf/gohttp.h"
#include "bpf/lib/ids.bpf.h"
#include "bpf/lib/emit.bpf.h"
#include "bpf/lib/probe.bpf.h"

const volatile struct gohttp_config gohttp_config = {};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* --buffer */
} gohttp_events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2); /* EVENT_LOST, EVENT_LOST_CALL */
	__type(key, __u32);
	__type(value, __u64);
} gohttp_lost SEC(".maps");

/* Completes and submits a record. `tag`: see event_emit(). */
__hidden __noinline int gohttp_emit(void *ctx, struct event_header *record, __u64 tag)
{
	__u32 why = tag & 1;
	__u64 *lost, ids;

	if (tag >= EVENT_LOST) {
		lost = bpf_map_lookup_elem(&gohttp_lost, &why);
		if (lost)
			__sync_fetch_and_add(lost, 1);
		return 0;
	}

	record->ts_ns = bpf_ktime_get_ns();
	record->probe = tag;
	record->layout = tag >> 32;
	ids = ids_current(gohttp_config.pidns_device, gohttp_config.pidns_inode);
	record->tgid = ids >> 32;
	record->tid = ids;
	record->cpu = 0;
	record->site = 0;
	record->kernel_bytes = 0;
	record->user_stack = 0;
	record->top_of_stack = 0;
	bpf_get_current_comm(record->comm, sizeof(record->comm));
	emit_submit(&gohttp_events, record, gohttp_config.wakeup_bytes);
	return 0;
}

SEC("template")
int gohttp_emit_template(void *ctx)
{
	struct event_header *record = bpf_ringbuf_reserve(&gohttp_events, sizeof(*record), 0);

	return gohttp_emit(ctx, record, record ? 0 : EVENT_LOST);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
