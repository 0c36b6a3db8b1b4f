/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * dbstat: histograms of how long a database server's statements take (bpf/servers/statement.bpf.h).
 */
#include "bpf/lib/bpf.h"
#include "bpf/dbstat.h"
#include "bpf/lib/histogram.bpf.h"
#include "bpf/servers/statement_mysql.bpf.h"
#include "bpf/servers/statement_postgres.bpf.h"

const volatile __u64 dbstat_unit_ns = 1;

/* A histogram uses about fifty slots; unused entries cost no memory. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct dbstat_key);
	__type(value, struct histogram_slot);
} dbstat_slots SEC(".maps");

__hidden __noinline void statement_done(const struct statement_key *unused,
					struct statement_state *state)
{
	const struct statement_event *event = &state->event;
	struct histogram_slot zero = {}, *slot;
	struct dbstat_key key = {};
	__u64 took = event->took_ns / dbstat_unit_ns;

	if (statement_config.by_database)
		__builtin_memcpy(key.session.database, event->session.database, STATEMENT_NAME);
	if (statement_config.by_user)
		__builtin_memcpy(key.session.user, event->session.user, STATEMENT_NAME);
	key.slot = histogram_slot_of(took);
	slot = bpf_map_lookup_elem(&dbstat_slots, &key);
	if (!slot) {
		bpf_map_update_elem(&dbstat_slots, &key, &zero, BPF_NOEXIST);
		slot = bpf_map_lookup_elem(&dbstat_slots, &key);
	}
	if (slot)
		histogram_count_exactly(slot, took, event->took_ns);
	else
		statement_count_lost(STATEMENT_TABLE_FULL);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
