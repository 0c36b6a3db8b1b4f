/* statement_done() of the tools that show each statement: submits its record to the ring buffer. */
#pragma once

#include "bpf/lib/emit.bpf.h"
#include "bpf/servers/statement.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* --buffer */
} statement_events SEC(".maps");

__hidden __noinline void statement_done(const struct statement_key *key,
					struct statement_state *state)
{
	struct statement_event *event = &state->event;
	struct statement_long_text *long_text;
	__u64 bytes = event->kept;
	long error = 1;

	if (!state->has_long_text) {
		bytes = statement_at_most(bytes, STATEMENT_SHORT);
		error = emit_output(&statement_events, event, sizeof(*event) + bytes,
				    statement_config.wakeup_bytes);
	} else if ((long_text = bpf_map_lookup_elem(&statement_long_texts, key))) {
		long_text->event = *event;
		bytes = statement_at_most(bytes, STATEMENT_LONG);
		error = emit_output(&statement_events, long_text, sizeof(*event) + bytes,
				    statement_config.wakeup_bytes);
	}
	if (error)
		statement_count_lost(STATEMENT_BUFFER_FULL);
}
