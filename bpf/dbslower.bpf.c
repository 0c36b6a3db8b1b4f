/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* dbslower: each statement of a database server that takes long enough (lib/statement.bpf.h). */
#include "lib/bpf.h"
#include "lib/statement_mysql.bpf.h"
#include "lib/statement_postgres.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* --buffer */
} dbslower_events SEC(".maps");

__hidden __noinline void statement_done(const struct statement_event *event)
{
	__u64 waiting = bpf_ringbuf_query(&dbslower_events, BPF_RB_AVAIL_DATA);
	__u64 flags =
		waiting >= statement_config.wakeup_bytes ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
	__s64 bytes = event->text_bytes;

	if (bytes < 0)
		bytes = 0;
	if (bytes > statement_config.text_bytes)
		bytes = statement_config.text_bytes;
	if (bpf_ringbuf_output(&dbslower_events, (void *)event, sizeof(*event) + bytes, flags))
		statement_count_lost(STATEMENT_BUFFER_FULL);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
