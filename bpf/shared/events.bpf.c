/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Single events: the C functions that the generated programs of trace, gohttp, ugc and uthreads
 * call.
 *
 * Each probe has its own BPF program. The first part of the program, its "main", is generated from
 * an expression of the user or the tool (common/expr/compile.h). The main filters, reserves a
 * record, fills in the values and calls event_emit(). event_emit_template is never attached; it
 * makes libbpf relocate the functions that generated mains call. common/kernel/templates.h explains
 * how a main and these functions become one program.
 */
#include "bpf/lib/bpf.h"
#include "bpf/lib/event.h"
#include "bpf/lib/ids.bpf.h"
#include "bpf/lib/emit.bpf.h"
#include "bpf/unwind/stack.bpf.h"
#include "bpf/lib/probe.bpf.h"
#include "bpf/unwind/unwind_site.bpf.h"

const volatile struct event_config event_config = {};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* --buffer */
} event_ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2); /* EVENT_LOST, EVENT_LOST_CALL */
	__type(key, __u32);
	__type(value, __u64);
} event_lost SEC(".maps");

/*
 * Completes and submits a record. `tag` is layout << 32 | probe, or EVENT_LOST or EVENT_LOST_CALL
 * if there is no record.
 */
__hidden __noinline int event_emit(void *ctx, struct event_header *record, __u64 tag)
{
	__u32 why = tag & 1;
	__u64 *lost, ids;

	if (tag >= EVENT_LOST) {
		lost = bpf_map_lookup_elem(&event_lost, &why);
		if (lost)
			__sync_fetch_and_add(lost, 1);
		return 0;
	}

	record->ts_ns = bpf_ktime_get_ns();
	record->probe = tag;
	record->layout = tag >> 32;
	ids = ids_current(event_config.pidns_device, event_config.pidns_inode);
	record->tgid = ids >> 32;
	record->tid = ids;
	record->cpu = bpf_get_smp_processor_id();
	record->site = site_number(ctx);
	bpf_get_current_comm(record->comm, sizeof(record->comm));

	record->user_stack = event_config.user_stack ? unwind_user(ctx) : UNWIND_NONE;
	record->top_of_stack = 0;
	record->kernel_bytes = 0;
	if (event_config.kernel_stack) {
		record->top_of_stack = stack_top(ctx);
		record->kernel_bytes = bpf_get_stack(ctx, record + 1, EVENT_STACK_BYTES, 0);
	}

	emit_submit(&event_ring, record, event_config.wakeup_bytes);
	return 0;
}

SEC("template")
int event_emit_template(void *ctx)
{
	struct event_header *record =
		bpf_ringbuf_reserve(&event_ring, sizeof(*record) + EVENT_STACK_BYTES, 0);

	return event_emit(ctx, record, record ? 0 : EVENT_LOST);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
