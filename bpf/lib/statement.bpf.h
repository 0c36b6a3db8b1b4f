/*
 * Statements of a database server: when each begins and ends, its text, whose it is.
 *
 * The probes are on functions of the server, and generated (common/probe/statements.cpp); they call
 * the functions below. A statement is kept by the thread that executes it, with its text, which the
 * server may have freed by the end. A tool includes this, and defines statement_done().
 *
 * PostgreSQL executes message after message of the protocol in one loop:
 *
 *     pq_getbyte()      waits for a message, and returns its letter: Q (simple query), P (Parse),
 *                       B (Bind), E (Execute), S (Sync), X (Terminate) …
 *     pgstat_report_activity(state, text)    before anything else is done for Q, P, B and E
 *     pgstat_report_activity(state, NULL)    when a Q or S was executed; then the client is told
 *     AbortCurrentTransaction()              the message failed, and the client has been told so
 *     pq_getbyte()      the next one: what was done has ended, also by an error
 *
 * A client that waits when the probes come has called pq_getbyte() already, and the letter of its
 * next message is not seen. If the server is idle behind it, it was a Q; else the message is let go,
 * as a P or B.
 *
 * COPY … FROM STDIN also calls pq_getbyte() in the middle of its statement, but from another place:
 * so a call ends a statement only when it comes from where its own message was asked for.
 *
 * MySQL and MariaDB call dispatch_command() for each message: common/db/mysql.cpp. The text of an
 * execution is that of the Prepared_statement's preparation, which the frontend keeps: so
 * preparations are always told, and the end of a connection.
 */
#pragma once

#include "lib/probe.bpf.h"
#include "lib/ids.bpf.h"
#include "lib/stack.bpf.h"
#include "lib/statement.h"

const volatile struct statement_config statement_config = {};

enum { STATEMENT_UNSEEN = '?' }; /* a message whose letter is not known */

struct statement_state {
	__u64 start_ns;
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
	state->start_ns = bpf_ktime_get_ns();
}

static __always_inline void statement_read_string(struct statement_state *state, __u64 pointer)
{
	long length = bpf_probe_read_user_str(state->text, statement_config.text_bytes + 2,
					      (void *)pointer);

	state->event.text_bytes = length > 0 ? length - 1 : length;
}

static __always_inline bool is_step(__u32 kind)
{
	return kind == 'P' || kind == 'B' || kind == STATEMENT_PREPARE || kind == STATEMENT_QUIT;
}

/* Of steps those that fail are told. */
static __always_inline bool statement_is_told(const struct statement_event *event)
{
	if (statement_config.tells_texts &&
	    (event->kind == STATEMENT_PREPARE || event->kind == STATEMENT_QUIT))
		return true;
	return event->text_bytes != STATEMENT_NO_TEXT &&
	       event->took_ns >= statement_config.min_ns &&
	       (!is_step(event->kind) || event->error || statement_config.steps);
}

static __always_inline void statement_finish(struct statement_state *state)
{
	struct statement_event *event = &state->event;
	struct statement_session *session;
	__u32 thread = statement_thread();
	__u64 ids;

	event->ts_ns = bpf_ktime_get_ns();
	event->took_ns = event->ts_ns - state->start_ns;
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

/* The first message of a client that was there before the probes; NULL when this is none. */
static __always_inline struct statement_state *statement_unseen(void)
{
	__u32 thread = statement_thread();
	struct statement_state *state;

	if (!bpf_map_lookup_elem(&statement_sessions, &thread))
		return NULL;
	state = statement_state();
	if (!state)
		return NULL;
	statement_start(state, STATEMENT_UNSEEN);
	state->caller = 0;
	return state;
}

static __always_inline bool is_copy_data(__u32 message)
{
	return message == 'd' || message == 'c' || message == 'f';
}

static __always_inline bool is_statement(__u32 message)
{
	return message == 'Q' || message == 'P' || message == 'B' || message == 'E';
}

/* At the return of pq_getbyte(). `measured`: the message's letter; -1: the client is gone. */
__hidden __noinline int statement_message(void *ctx, void *table, void *key, __u64 measured,
					  __s64 status)
{
	__u32 thread = statement_thread();
	struct statement_state *state;

	if ((__s32)measured < 0 || measured == 'X') {
		bpf_map_delete_elem(&statement_states, &thread);
		bpf_map_delete_elem(&statement_sessions, &thread);
		return 0;
	}
	state = statement_of_thread();
	if (state && state->event.kind == STATEMENT_UNSEEN && !is_copy_data(measured))
		state->event.kind = 0;
	if (!is_statement(measured))
		return 0;
	state = statement_state();
	if (!state)
		return 0;
	statement_start(state, measured);
#if defined(__TARGET_ARCH_x86)
	state->caller = ((struct pt_regs *)ctx)->ip; /* already where the function returns to */
#else
	state->caller = ((struct user_pt_regs *)ctx)->pc;
#endif
	return 0;
}

/* At pgstat_report_activity(state, text). `measured`: the text; without one the server is idle. */
__hidden __noinline int statement_activity(void *ctx, void *table, void *key, __u64 measured,
					   __s64 status)
{
	struct statement_state *state = statement_of_thread();

	if (!state && measured)
		state = statement_unseen();
	if (!state || !state->event.kind)
		return 0;
	if (state->event.kind == STATEMENT_UNSEEN && !measured)
		state->event.kind = 'Q';
	if (!measured)
		statement_finish(state);
	else if (state->event.text_bytes == STATEMENT_NO_TEXT)
		statement_read_string(state, measured);
	return 0;
}

/* At pq_getbyte(). */
__hidden __noinline int statement_next(void *ctx, void *table, void *key, __u64 measured,
				       __s64 status)
{
	struct statement_state *state = statement_of_thread();

	if (state && state->event.kind && stack_top_of_uprobe(ctx) == state->caller)
		statement_finish(state);
	return 0;
}

/* At InitPostgres(database, …, user, …), in a process that has just begun. */
__hidden __noinline int statement_login(void *ctx, void *table, void *key, __u64 measured,
					__s64 status)
{
	struct statement_session session = {};
	__u32 thread = statement_thread();
	__u64 *names = key; /* database, user */

	bpf_map_delete_elem(&statement_states, &thread); /* of a process that was killed */
	bpf_probe_read_user_str(session.database, STATEMENT_NAME, (void *)names[0]);
	bpf_probe_read_user_str(session.user, STATEMENT_NAME, (void *)names[1]);
	if (bpf_map_update_elem(&statement_sessions, &thread, &session, BPF_ANY))
		statement_count_lost(STATEMENT_NO_STATE);
	return 0;
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

static __always_inline __u32 statement_error_code(void *ctx, const struct statement_errors *errors)
{
#if defined(__TARGET_ARCH_x86)
	__u64 place = ((struct pt_regs *)ctx)->ip;
	__s32 depth = -1;
	__u32 code = 0;

	if (errors->stride)
		bpf_probe_read_user(&depth, sizeof(depth), (void *)(place + errors->depth));
	if (depth >= 0)
		bpf_probe_read_user(&code, sizeof(code),
				    (void *)(place + errors->codes + depth * errors->stride));
	return code;
#else
	return 0;
#endif
}

/* At AbortCurrentTransaction(). `key`: a statement_errors. */
__hidden __noinline int statement_failed(void *ctx, void *table, void *key, __u64 measured,
					 __s64 status)
{
	struct statement_state *state = statement_of_thread();
	__u32 code;

	if (!state || !state->event.kind)
		return 0;
	state->event.error = 1;
	code = statement_error_code(ctx, key);
	for (int i = 0; code && i < 5; i++) /* 6 bits each, from the lowest */
		state->event.sqlstate[i] = '0' + (code >> 6 * i & 63);
	return 0;
}

static __always_inline void statement_read_name(char *name, __u64 pointer)
{
	__builtin_memset(name, 0, STATEMENT_NAME); /* names are keys, with all their bytes */
	if (pointer)
		bpf_probe_read_user_str(name, STATEMENT_NAME, (void *)pointer);
}

static __always_inline struct statement_state *
statement_dispatch(__u32 command, const struct statement_command *given)
{
	struct statement_state *state = statement_state();

	if (!state)
		return NULL;
	/* The server goes on with what it had left: the beginning stays. */
	if (state->event.kind == command && state->event.connection == given->connection)
		return NULL;
	statement_start(state, command);
	state->event.connection = given->connection;
	statement_read_name(state->event.session.database, given->database);
	statement_read_name(state->event.session.user, given->user);
	if (command == STATEMENT_QUERY || command == STATEMENT_PREPARE)
		return state;
	state->event.text_bytes = 0;
	if (command != STATEMENT_QUIT) /* a packet and a COM_DATA begin with it */
		bpf_probe_read_user(&state->event.statement_id, sizeof(__u32), (void *)given->data);
	return NULL;
}

static __always_inline void statement_read_sized(struct statement_state *state, __u64 pointer,
						 __u64 length)
{
	__u32 bytes = statement_config.text_bytes;
	long error = 0;

	if (length < bytes)
		bytes = length;
	/* Verifiers before 6.12 do not see that nothing is less than 0. */
	if (statement_config.text_bytes)
		error = bpf_probe_read_user(state->text, bytes, (void *)pointer);
	state->event.length = length;
	state->event.text_bytes = error ?: length < STATEMENT_LONGEST ? length : STATEMENT_LONGEST;
}

/* At dispatch_command(). `measured`: the command; `key`: a statement_command. */
__hidden __noinline int statement_packet(void *ctx, void *table, void *key, __u64 measured,
					 __s64 status)
{
	struct statement_command *given = key;
	struct statement_state *state = statement_dispatch(measured, given);

	if (state)
		statement_read_sized(state, given->data, given->length);
	return 0;
}

/* The same of servers that hand over a COM_DATA. */
__hidden __noinline int statement_com_data(void *ctx, void *table, void *key, __u64 measured,
					   __s64 status)
{
	struct {
		__u64 text;
		__u32 length, pad;
	} query = {};
	struct statement_command *given = key;
	struct statement_state *state = statement_dispatch(measured, given);

	if (!state)
		return 0;
	state->event.text_bytes = bpf_probe_read_user(&query, sizeof(query), (void *)given->data);
	if (!state->event.text_bytes)
		statement_read_sized(state, query.text, query.length);
	return 0;
}

/* At a method of Prepared_statement. `measured`: its address. */
__hidden __noinline int statement_prepared(void *ctx, void *table, void *key, __u64 measured,
					   __s64 status)
{
	struct statement_state *state = statement_of_thread();
	__u32 kind = state ? state->event.kind : 0;

	/* The outermost one: a statement that has to be prepared anew makes another. */
	if (state && !state->event.statement &&
	    (kind == STATEMENT_PREPARE || kind == STATEMENT_EXECUTE ||
	     kind == STATEMENT_BULK_EXECUTE))
		state->event.statement = measured;
	return 0;
}

/* When MySQL sends the client an error. `key`: its number, a pointer to its SQL state. */
__hidden __noinline int statement_error(void *ctx, void *table, void *key, __u64 measured,
					__s64 status)
{
	struct statement_state *state = statement_of_thread();
	__u64 *given = key;

	if (!state || !state->event.kind)
		return 0;
	state->event.error = given[0];
	bpf_probe_read_user(state->event.sqlstate, sizeof(state->event.sqlstate), (void *)given[1]);
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

STATEMENT_TEMPLATE(statement_message)
STATEMENT_TEMPLATE(statement_activity)
STATEMENT_TEMPLATE(statement_next)
STATEMENT_TEMPLATE(statement_login)
STATEMENT_TEMPLATE(statement_begin)
STATEMENT_TEMPLATE(statement_failed)
STATEMENT_TEMPLATE(statement_prepared)
STATEMENT_TEMPLATE(statement_error)
STATEMENT_TEMPLATE(statement_packet)
STATEMENT_TEMPLATE(statement_com_data)
STATEMENT_TEMPLATE(statement_end)
