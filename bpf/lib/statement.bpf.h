/*
 * Statements of a database server: when each begins and ends, its text, whose it is.
 *
 * The probes are on functions of the server, and generated (common/probe/statements.cpp); they call
 * the functions of these files. A statement is kept by the thread that executes it, with its text,
 * which the server may have freed by the end. A tool defines statement_done(), and includes the two
 * protocols: lib/statement_postgres.bpf.h, lib/statement_mysql.bpf.h. Here is what they share, and
 * what the USDT probes of either need.
 */
#pragma once

#include <bpf/bpf_tracing.h>

#include "lib/probe.bpf.h"
#include "lib/ids.bpf.h"
#include "lib/statement.h"

const volatile struct statement_config statement_config = {};

struct statement_state {
	__u64 start_ns;		      /* 0: an Execute of PostgreSQL that waits for its Sync, */
	__u64 worked_ns;	      /* and took so long until then */
	__u64 caller;		      /* PostgreSQL: of the pq_getbyte() that gave the message */
	struct statement_event event; /* `kind` is 0 while no statement is under way */
	char text[];		      /* statement_config.text_bytes and two more */
};

/* By thread. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, struct statement_session);
} statement_sessions SEC(".maps");

/* By thread, too. Value sizes are set by the frontend. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(key_size, 4);
	__uint(value_size, sizeof(struct statement_state) + 8);
} statement_states SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, sizeof(struct statement_state) + 8);
} statement_zero SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, STATEMENT_LOST);
	__type(key, __u32);
	__type(value, __u64);
} statement_lost SEC(".maps");

/* What a tool does with a statement that has ended. */
__hidden void statement_done(const struct statement_event *event);

static __always_inline void statement_count_lost(__u32 why)
{
	__u64 *lost = bpf_map_lookup_elem(&statement_lost, &why);

	if (lost)
		__sync_fetch_and_add(lost, 1);
}

static __always_inline __u32 statement_thread(void)
{
	return bpf_get_current_pid_tgid();
}

static __always_inline struct statement_state *statement_of_thread(void)
{
	__u32 thread = statement_thread();

	return bpf_map_lookup_elem(&statement_states, &thread);
}

/* The same, made if there is none. */
static __always_inline struct statement_state *statement_state(void)
{
	struct statement_state *state = statement_of_thread();
	__u32 thread = statement_thread(), index = 0;
	void *zero;

	if (state)
		return state;
	zero = bpf_map_lookup_elem(&statement_zero, &index);
	if (zero)
		bpf_map_update_elem(&statement_states, &thread, zero, BPF_NOEXIST);
	state = statement_of_thread();
	if (!state)
		statement_count_lost(STATEMENT_NO_STATE);
	return state;
}

static __always_inline void statement_start(struct statement_state *state, __u32 kind)
{
	state->event.kind = kind;
	state->event.text_bytes = STATEMENT_NO_TEXT;
	state->event.length = 0;
	state->event.statement = 0;
	state->event.statement_id = 0;
	state->event.error = 0;
	__builtin_memset(state->event.sqlstate, 0, sizeof(state->event.sqlstate));
	state->worked_ns = 0;
	state->start_ns = state->event.ts_ns = bpf_ktime_get_ns();
}

static __always_inline void statement_read_string(struct statement_state *state, __u64 pointer)
{
	long length = bpf_probe_read_user_str(state->text, statement_config.text_bytes + 2,
					      (void *)pointer);

	state->event.text_bytes = length > 0 ? length - 1 : length;
}

static __always_inline bool is_step(__u32 kind)
{
	return kind == 'P' || kind == 'B' || kind == 'S' || kind == STATEMENT_PREPARE ||
	       kind == STATEMENT_QUIT;
}

/* Of steps, and of what never got to have a text, those that fail are told. */
static __always_inline bool statement_is_told(const struct statement_event *event)
{
	if (statement_config.tells_texts &&
	    (event->kind == STATEMENT_PREPARE || event->kind == STATEMENT_QUIT))
		return true;
	if (event->took_ns < statement_config.min_ns)
		return false;
	if (event->error)
		return true;
	return event->text_bytes != STATEMENT_NO_TEXT &&
	       (!is_step(event->kind) || statement_config.steps);
}

static __always_inline void statement_finish(struct statement_state *state)
{
	struct statement_event *event = &state->event;
	struct statement_session *session;
	__u32 thread = statement_thread();
	__u64 ids;

	event->took_ns = state->worked_ns;
	if (state->start_ns)
		event->took_ns += bpf_ktime_get_ns() - state->start_ns;
	if (statement_is_told(event)) {
		ids = ids_current(statement_config.pidns_device, statement_config.pidns_inode);
		event->tgid = ids >> 32;
		event->tid = ids;
		session = bpf_map_lookup_elem(&statement_sessions, &thread);
		if (session)
			event->session = *session;
		statement_done(event);
	}
	event->kind = 0;
}

/* At query__start(text) of a server with USDT probes. `measured`: the text. */
__hidden __noinline int statement_begin(void *ctx, void *table, void *key, __u64 measured,
					__s64 status)
{
	struct statement_state *state = statement_state();

	if (!state)
		return 0;
	statement_start(state, 'Q');
	statement_read_string(state, measured);
	return 0;
}

/* At query__done(), and at the return of dispatch_command(). */
__hidden __noinline int statement_end(void *ctx, void *table, void *key, __u64 measured,
				      __s64 status)
{
	struct statement_state *state = statement_of_thread();

	if (state && state->event.kind)
		statement_finish(state);
	return 0;
}

#define STATEMENT_TEMPLATE(function)                                                               \
	SEC("uprobe")                                                                              \
	int function##_template(void *ctx)                                                         \
	{                                                                                          \
		__u64 key[6] = {};                                                                 \
                                                                                                   \
		return function(ctx, &statement_states, key, 0, 0);                                \
	}

STATEMENT_TEMPLATE(statement_begin)
STATEMENT_TEMPLATE(statement_end)
