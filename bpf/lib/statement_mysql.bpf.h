/*
 * Statements of MySQL and MariaDB (lib/statement.bpf.h).
 *
 * MySQL and MariaDB call dispatch_command() for each message: common/db/mysql.cpp. The text of an
 * execution is that of the Prepared_statement's preparation, which the frontend keeps: so
 * preparations are always told, and the end of a connection.
 */
#pragma once

#include "lib/statement.bpf.h"

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

/* At the return of a dispatch_command() that can leave a command and go on later, which 2 says. */
__hidden __noinline int statement_end_or_wait(void *ctx, void *table, void *key, __u64 measured,
					      __s64 status)
{
	struct statement_state *state = statement_of_thread();

	if (state && state->event.kind && (PT_REGS_RC((struct pt_regs *)ctx) & 0xff) != 2)
		statement_finish(state);
	return 0;
}

STATEMENT_TEMPLATE(statement_prepared)
STATEMENT_TEMPLATE(statement_error)
STATEMENT_TEMPLATE(statement_packet)
STATEMENT_TEMPLATE(statement_com_data)
STATEMENT_TEMPLATE(statement_end_or_wait)
