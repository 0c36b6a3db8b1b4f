/*
 * Statements of PostgreSQL (bpf/servers/statement.bpf.h).
 *
 * PostgreSQL executes the messages of the protocol one after the other in a loop:
 *
 *     pq_getbyte()      waits for a message, and returns its letter: Q (simple query), P (Parse),
 *                       B (Bind), E (Execute), S (Sync), X (Terminate) …
 *     pgstat_report_activity(state, text)    before any other work for Q, P, B and E
 *     pgstat_report_activity(state, NULL)    after executing a Q or S; then it sends the response
 *     AbortCurrentTransaction()              the message failed, and the client has the error
 *     proc_exit(1)      from errfinish()     the same, and the process ends (FATAL)
 *     pq_getbyte()      the next one: the last message has ended, perhaps by an error
 *
 * In the simple protocol, a Q also commits. In the extended protocol, a Sync commits, or fails to.
 * So if no other statement follows an Execute, it ends at the Sync. Its time is the sum of both,
 * without the time in which the server waits between them:
 *
 *     B …  E insert …  |  S commit  |      one statement, which takes as long as E and S
 *     B …  E insert 1  |  B …  E insert 2  |  S     two; the second one has the commit of both
 *
 * With --steps, each message is an event of its own. If a Sync fails without an Execute before it,
 * it is reported with the text of the statement before it.
 *
 * If a server process is waiting for its client when we attach the probes, it has already called
 * pq_getbyte(), and we do not see the letter of its next message. If the server reports that it is
 * idle after this message, the message was a Q. Otherwise we ignore the message, which was for
 * example a P or B.
 *
 * COPY … FROM STDIN also calls pq_getbyte(), in the middle of its statement, but from another call
 * site. So a call ends a statement only if its return address is the same as that of the call that
 * read the statement's message.
 */
#pragma once

#include "bpf/unwind/stack.bpf.h"
#include "bpf/servers/statement.bpf.h"

enum { STATEMENT_UNSEEN = '?' }; /* a message whose letter we did not see */

static __always_inline struct statement_key statement_own_key(void)
{
	return statement_key(statement_thread(), 0);
}

static __always_inline struct statement_state *statement_of_thread(void)
{
	struct statement_key key = statement_own_key();

	return bpf_map_lookup_elem(&statement_states, &key);
}

static __always_inline void statement_finish_message(struct statement_state *state)
{
	struct statement_key key = statement_own_key();
	__u32 thread = statement_thread();
	struct statement_session *session = bpf_map_lookup_elem(&statement_sessions, &thread);

	if (session)
		state->event.session = *session;
	statement_finish(&key, state);
}

/*
 * Starts the first message of a client that connected before the probes were attached. Returns NULL
 * if the client connected later or the map is full.
 */
static __always_inline struct statement_state *statement_unseen(void)
{
	__u32 thread = statement_thread();
	struct statement_state *state;
	struct statement_key key;

	if (!bpf_map_lookup_elem(&statement_sessions, &thread))
		return NULL;
	key = statement_own_key();
	state = statement_make(&key);
	if (!state)
		return NULL;
	statement_start(&key, state, STATEMENT_UNSEEN);
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

/* Call at a function's return: returns the return address. */
static __always_inline __u64 statement_caller(void *ctx)
{
	__u64 address = site_address(ctx); /* a kernel return probe runs at the return address */

	/*
	 * Compilers merge two conditional loads into one at a computed address, which the verifier
	 * refuses.
	 */
	barrier_var(address);
	if (site_is_by_branch())
		return stack_top_by(site_entry_stack(ctx));
	return site_is_exit() ? stack_top_of_uprobe(ctx) : address;
}

static __always_inline bool statement_awaits_sync(const struct statement_state *state)
{
	return state && state->event.kind && !state->start_ns;
}

/* Handles a Sync. Ignores it within a COPY, where it means nothing. */
static __always_inline void statement_sync(struct statement_state *state, __u64 caller)
{
	if (statement_awaits_sync(state)) {
		state->start_ns = bpf_ktime_get_ns();
	} else if (!state->event.kind) {
		statement_start_with_text(state, 'S');
		state->caller = caller;
	}
}

/*
 * `message`: what pq_getbyte() has returned, a message's letter, or -1 if the client is gone.
 * `caller`: its return address.
 */
static __always_inline int statement_received(__s32 message, __u64 caller)
{
	struct statement_state *state = statement_of_thread();
	struct statement_key own;

	if (message < 0 || message == 'X') {
		if (statement_awaits_sync(state))
			statement_finish_message(state);
		statement_forget_thread(); /* the client has disconnected */
		return 0;
	}
	if (state && state->event.kind == STATEMENT_UNSEEN && !is_copy_data(message))
		state->event.kind = 0;
	if (state && message == 'S')
		statement_sync(state, caller);
	if (!is_statement(message))
		return 0;
	if (statement_awaits_sync(state))
		statement_finish_message(state);
	own = statement_own_key();
	state = statement_make(&own);
	if (!state)
		return 0;
	statement_start(&own, state, message);
	state->caller = caller;
	return 0;
}

/* At the return of pq_getbyte(). */
__hidden __noinline int statement_message(void *ctx, void *table, void *key, __u64 measured,
					  __s64 status)
{
	return statement_received(site_result(ctx), statement_caller(ctx));
}

/*
 * At a branch of PostgresMain(), `measured` bytes behind the call of pq_getbyte(). So the calls of
 * COPY are not seen here.
 */
__hidden __noinline int statement_message_at_branch(void *ctx, void *table, void *key,
						    __u64 measured, __s64 status)
{
	struct pt_regs *regs = ctx;

	return statement_received(PT_REGS_RC(regs), PT_REGS_IP(regs) - measured);
}

/* At pgstat_report_activity(state, text). `measured`: the text, or 0 if the server becomes idle. */
__hidden __noinline int statement_activity(void *ctx, void *table, void *key, __u64 measured,
					   __s64 status)
{
	struct statement_state *state = statement_of_thread();
	struct statement_key own = statement_own_key();

	if (!state && measured)
		state = statement_unseen();
	if (!state || !state->event.kind)
		return 0;
	if (state->event.kind == STATEMENT_UNSEEN && !measured)
		state->event.kind = 'Q';
	if (!measured) {
		statement_finish_message(state);
		state->event.unreadable = STATEMENT_UNSEEN_TEXT; /* the next one has another text */
	} else if (state->event.unreadable == STATEMENT_UNSEEN_TEXT) {
		statement_read_string(&own, state, (void *)measured);
	}
	return 0;
}

/* At the entry of pq_getbyte(). */
__hidden __noinline int statement_next(void *ctx, void *table, void *key, __u64 measured,
				       __s64 status)
{
	struct statement_state *state = statement_of_thread();

	if (!state || !state->event.kind || statement_awaits_sync(state) ||
	    stack_top_of_uprobe(ctx) != state->caller)
		return 0;
	if (state->event.kind == 'E' && !state->event.error && !statement_config.steps) {
		state->worked_ns = bpf_ktime_get_ns() - state->start_ns;
		state->start_ns = 0;
	} else {
		statement_finish_message(state);
	}
	return 0;
}

/* At InitPostgres(database, …, user, …), in a process that has just begun. */
__hidden __noinline int statement_login(void *ctx, void *table, void *key, __u64 measured,
					__s64 status)
{
	struct statement_session session = {};
	__u32 thread = statement_thread();
	__u64 *names = key; /* database, user */

	bpf_probe_read_user_str(session.database, STATEMENT_NAME, (void *)names[0]);
	bpf_probe_read_user_str(session.user, STATEMENT_NAME, (void *)names[1]);
	if (bpf_map_update_elem(&statement_sessions, &thread, &session, BPF_ANY))
		statement_count_lost(STATEMENT_NO_STATE);
	return 0;
}

/*
 * PostgreSQL has a stack of errors. Returns the packed SQLSTATE of the error that is `above`
 * entries above the current one; 0 if there is no error; -1 if it is not known.
 */
static __always_inline __s64 statement_error_code(void *ctx, const struct statement_errors *errors,
						  __s32 above)
{
#if defined(__TARGET_ARCH_x86)
	__u64 address = ((struct pt_regs *)ctx)->ip;
	__s32 depth;
	__u32 code;

	if (!errors->stride ||
	    bpf_probe_read_user(&depth, sizeof(depth), (void *)(address + errors->depth)))
		return -1;
	depth += above;
	if (depth < 0)
		return 0;
	if (bpf_probe_read_user(&code, sizeof(code),
				(void *)(address + errors->codes + depth * errors->stride)))
		return -1;
	return code;
#else
	return -1;
#endif
}

static __always_inline void statement_set_error(struct statement_state *state, __s64 code)
{
	state->event.error = 1;
	for (int i = 0; code > 0 && i < 5; i++) /* 6 bits each, from the lowest */
		state->event.sqlstate[i] = '0' + (code >> 6 * i & 63);
}

/*
 * At AbortCurrentTransaction(). `key`: a statement_errors. A ROLLBACK in a procedure also calls it,
 * without an error.
 */
__hidden __noinline int statement_failed(void *ctx, void *table, void *key, __u64 measured,
					 __s64 status)
{
	struct statement_state *state = statement_of_thread();
	__s64 code;

	if (!state || !state->event.kind)
		return 0;
	if (statement_awaits_sync(state)) { /* another message failed, such as a Describe */
		statement_finish_message(state);
		return 0;
	}
	code = statement_error_code(ctx, key, 0);
	if (code)
		statement_set_error(state, code);
	return 0;
}

/*
 * Where errfinish() calls proc_exit() for a FATAL error, which it has just popped from the stack of
 * errors. `key`: a statement_errors.
 */
__hidden __noinline int statement_exit(void *ctx, void *table, void *key, __u64 measured,
				       __s64 status)
{
	struct statement_state *state = statement_of_thread();

	if (state && state->event.kind) {
		if (!statement_awaits_sync(state))
			statement_set_error(state, statement_error_code(ctx, key, 1));
		statement_finish_message(state);
	}
	statement_forget_thread();
	return 0;
}

STATEMENT_TEMPLATE(statement_message)
STATEMENT_TEMPLATE(statement_message_at_branch)
STATEMENT_TEMPLATE(statement_activity)
STATEMENT_TEMPLATE(statement_next)
STATEMENT_TEMPLATE(statement_login)
STATEMENT_TEMPLATE(statement_failed)
STATEMENT_TEMPLATE(statement_exit)
