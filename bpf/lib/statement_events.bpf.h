/* statement_done() of the tools that show each statement: its record goes to their ring buffer. */
#pragma once

#include "lib/statement.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* --buffer */
} statement_events SEC(".maps");

__hidden __noinline void statement_done(const struct statement_key *key,
					struct statement_state *state)
{
	__u64 waiting = bpf_ringbuf_query(&statement_events, BPF_RB_AVAIL_DATA);
	__u64 flags =
		waiting >= statement_config.wakeup_bytes ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
	struct statement_event *event = &state->event;
	struct statement_long_text *place;
	__u64 bytes = event->kept;
	long error = 1;

	if (!state->has_long_text) {
		bytes = statement_at_most(bytes, STATEMENT_SHORT);
		error = bpf_ringbuf_output(&statement_events, event, sizeof(*event) + bytes, flags);
	} else if ((place = bpf_map_lookup_elem(&statement_long_texts, key))) {
		place->event = *event;
		bytes = statement_at_most(bytes, STATEMENT_LONG);
		error = bpf_ringbuf_output(&statement_events, place, sizeof(*event) + bytes, flags);
	}
	if (error)
		statement_count_lost(STATEMENT_BUFFER_FULL);
}
