/*
 * Statements of a database server: when each begins and ends, its text, database and user.
 *
 * The probes are on functions of the server (common/servers/probes.cpp). The BPF programs that are
 * generated for them call the functions of these files. We keep a statement under way together with
 * its text, which the server may have freed or overwritten by the end. The key is the thread for
 * PostgreSQL, where a thread serves one client, and the connection for MySQL, where another thread
 * may end the statement. Nearly all texts fit into the buffer in each statement's state; a longer
 * one gets an entry of its own.
 *
 * A tool defines statement_done() and includes the protocols that it supports:
 * bpf/servers/statement_postgres.bpf.h, bpf/servers/statement_mysql.bpf.h. This file has what both
 * share, and the functions for USDT probes.
 */
#pragma once

#include <bpf/bpf_tracing.h>

#include "bpf/lib/probe.bpf.h"
#include "bpf/lib/ids.bpf.h"
#include "bpf/servers/statement.h"

const volatile struct statement_config statement_config = {};

/* The session that a thread serves, by thread id. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, struct statement_session);
} statement_sessions SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct statement_key);
	__type(value, struct statement_state);
} statement_states SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 256);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct statement_key);
	__type(value, struct statement_long_text);
} statement_long_texts SEC(".maps");

/* The initial values of new entries, which are too large for the stack. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct statement_state);
} statement_new_state SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct statement_long_text);
} statement_new_long_text SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, STATEMENT_LOST);
	__type(key, __u32);
	__type(value, __u64);
} statement_lost SEC(".maps");

/* Handles a statement that has ended. Each tool defines this function. */
__hidden void statement_done(const struct statement_key *key, struct statement_state *state);

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

static __always_inline struct statement_key statement_key(__u64 owner, __u32 depth)
{
	struct statement_key key = {owner, bpf_get_current_pid_tgid() >> 32, depth};

	return key;
}

/*
 * Returns the smaller value. It is written so that the compiler cannot optimize the checks away,
 * and that every verifier understands them.
 */
static __always_inline __u64 statement_at_most(__u64 value, __u64 max)
{
	asm volatile("" : "+r"(value));
	if (value > max)
		value = max;
	asm volatile("" : "+r"(value));
	return value > max ? max : value;
}

/*
 * Returns the statement of `key`, which it creates if necessary. If the map is full, counts a lost
 * statement and returns NULL.
 */
static __always_inline struct statement_state *statement_make(const struct statement_key *key)
{
	struct statement_state *state = bpf_map_lookup_elem(&statement_states, key);
	__u32 zero = 0;
	void *empty;

	if (state)
		return state;
	empty = bpf_map_lookup_elem(&statement_new_state, &zero);
	if (empty)
		bpf_map_update_elem(&statement_states, key, empty, BPF_NOEXIST);
	state = bpf_map_lookup_elem(&statement_states, key);
	if (!state)
		statement_count_lost(STATEMENT_NO_STATE);
	return state;
}

static __always_inline void statement_drop_text(const struct statement_key *key,
						struct statement_state *state)
{
	if (state->has_long_text)
		bpf_map_delete_elem(&statement_long_texts, key);
	state->has_long_text = 0;
}

static __always_inline void statement_set_ids(struct statement_event *event)
{
	__u64 ids = ids_current(statement_config.pidns_device, statement_config.pidns_inode);

	event->tgid = ids >> 32;
	event->tid = ids;
}

/* Starts a statement that has the text of the one before it. */
static __always_inline void statement_start_with_text(struct statement_state *state, __u32 kind)
{
	statement_set_ids(&state->event);
	state->is_suspended = 0;
	state->event.kind = kind;
	state->event.prepared = 0;
	state->event.statement_id = 0;
	state->event.error = 0;
	__builtin_memset(state->event.sqlstate, 0, sizeof(state->event.sqlstate));
	state->worked_ns = 0;
	state->start_ns = state->event.start_ns = bpf_ktime_get_ns();
}

static __always_inline void statement_start(const struct statement_key *key,
					    struct statement_state *state, __u32 kind)
{
	statement_drop_text(key, state);
	state->event.kept = 0;
	state->event.is_cut = 0;
	state->event.length = 0;
	state->event.unreadable = STATEMENT_UNSEEN_TEXT;
	statement_start_with_text(state, kind);
}

static __always_inline void statement_delete(const struct statement_key *key,
					     struct statement_state *state)
{
	statement_drop_text(key, state);
	bpf_map_delete_elem(&statement_states, key);
}

static __always_inline void statement_forget(const struct statement_key *key)
{
	bpf_map_delete_elem(&statement_long_texts, key);
	bpf_map_delete_elem(&statement_states, key);
}

/* For PostgreSQL and USDT probes: deletes all state of the current thread. */
static __always_inline void statement_forget_thread(void)
{
	struct statement_key key = statement_key(statement_thread(), 0);
	__u32 thread = statement_thread();

	statement_forget(&key);
	bpf_map_delete_elem(&statement_sessions, &thread);
}

static __always_inline struct statement_long_text *
statement_long_text(const struct statement_key *key, struct statement_state *state)
{
	__u32 zero = 0;
	void *empty = bpf_map_lookup_elem(&statement_new_long_text, &zero);

	if (empty)
		bpf_map_update_elem(&statement_long_texts, key, empty, BPF_ANY);
	empty = bpf_map_lookup_elem(&statement_long_texts, key);
	state->has_long_text = empty != NULL;
	return empty;
}

/* Reads a text of `length` bytes. */
static __always_inline void statement_read_sized(const struct statement_key *key,
						 struct statement_state *state, const void *text,
						 __u32 length)
{
	__u64 bytes = statement_at_most(length, statement_config.text_bytes);
	struct statement_long_text *long_text = NULL;
	long error = 0;

	if (bytes > STATEMENT_SHORT)
		long_text = statement_long_text(key, state);
	if (long_text) {
		bytes = statement_at_most(bytes, STATEMENT_LONG);
		error = bpf_probe_read_user(long_text->text, bytes, text);
	} else {
		bytes = statement_at_most(bytes, STATEMENT_SHORT);
		if (bytes)
			error = bpf_probe_read_user(state->text, bytes, text);
	}
	state->event.length = length;
	state->event.kept = error ? 0 : bytes;
	state->event.is_cut = length > state->event.kept;
	state->event.unreadable = error;
}

/* Reads a text that ends with a NUL. Its whole length stays unknown. */
static __always_inline void statement_read_string(const struct statement_key *key,
						  struct statement_state *state, const void *text)
{
	__u64 max = statement_at_most(statement_config.text_bytes, STATEMENT_LONG);
	struct statement_long_text *long_text;
	long length;

	state->event.unreadable = 0;
	if (!max)
		return;
	/* We read one byte more than we keep, to see whether the text is longer. */
	length = bpf_probe_read_user_str(state->text, sizeof(state->text), text);
	if (length == sizeof(state->text) && max >= sizeof(state->text) - 1) {
		long_text = statement_long_text(key, state);
		if (long_text)
			length = bpf_probe_read_user_str(long_text->text, sizeof(long_text->text),
							 text);
	}
	if (length < 0) {
		state->event.unreadable = length;
		return;
	}
	state->event.kept = length ? length - 1 : 0;
	state->event.is_cut = !state->has_long_text && length == sizeof(state->text);
	if (state->event.kept > max) {
		state->event.kept = max;
		state->event.is_cut = 1;
	}
}

static __always_inline bool is_step(__u32 kind)
{
	return kind == 'P' || kind == 'B' || kind == 'S';
}

/*
 * Returns whether to report the event. PostgreSQL's steps are reported only with --steps or if they
 * fail, and its statements whose text we have not seen only if they fail.
 */
static __always_inline bool statement_is_reported(const struct statement_event *event)
{
	if (statement_config.texts_of_prepared &&
	    (event->kind == STATEMENT_PREPARE || event->kind == STATEMENT_QUIT))
		return true;
	if (event->took_ns < statement_config.min_ns)
		return false;
	if (event->kind < 'A' || event->kind > 'Z' || event->error)
		return true;
	return event->unreadable != STATEMENT_UNSEEN_TEXT &&
	       (!is_step(event->kind) || statement_config.steps);
}

static __always_inline void statement_finish(const struct statement_key *key,
					     struct statement_state *state)
{
	struct statement_event *event = &state->event;

	event->ts_ns = bpf_ktime_get_ns();
	event->took_ns = state->worked_ns;
	if (state->start_ns)
		event->took_ns += event->ts_ns - state->start_ns;
	if (statement_is_reported(event)) {
		statement_set_ids(event);
		statement_done(key, state);
	}
	event->kind = 0;
}

/* --- USDT probes: query__start(text) and query__done(), in the same thread --- */

/* `measured`: the text. */
__hidden __noinline int statement_begin(void *ctx, void *table, void *unused, __u64 measured,
					__s64 status)
{
	struct statement_key key = statement_key(statement_thread(), 0);
	struct statement_state *state = statement_make(&key);

	if (!state)
		return 0;
	statement_start(&key, state, 'Q');
	statement_read_string(&key, state, (void *)measured);
	return 0;
}

__hidden __noinline int statement_end(void *ctx, void *table, void *unused, __u64 measured,
				      __s64 status)
{
	struct statement_key key = statement_key(statement_thread(), 0);
	struct statement_state *state = bpf_map_lookup_elem(&statement_states, &key);

	if (!state)
		return 0;
	if (state->event.kind)
		statement_finish(&key, state);
	statement_delete(&key, state);
	return 0;
}

#define STATEMENT_TEMPLATE(function)                                                               \
	SEC("template")                                                                            \
	int function##_template(void *ctx)                                                         \
	{                                                                                          \
		__u64 values[6] = {};                                                              \
                                                                                                   \
		return function(ctx, &statement_servers, values, 0, 0);                            \
	}

/*
 * Only the templates use this map. They are never attached: they make libbpf prepare the C
 * functions (common/kernel/templates.h). Each MySQL server has a map of its own.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct statement_server);
} statement_servers SEC(".maps");

STATEMENT_TEMPLATE(statement_begin)
STATEMENT_TEMPLATE(statement_end)
