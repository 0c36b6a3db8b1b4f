/*
 * Statements of MySQL and MariaDB (bpf/servers/statement.bpf.h); common/db/mysql.cpp explains the
 * functions that the probes are on.
 *
 * A server overwrites a packet while it answers. So we copy the text at the entry of
 * dispatch_command() and keep it until the return. The key is the connection (THD), not the thread,
 * because another thread may end a command that has to wait. Probes between entry and return find
 * the statement by the thread.
 *
 *     dispatch_command(Query, thd, "call p()") states[thd, 0] = {start, text}, threads[tid] = thd
 *       sp_instr_stmt::execute(…)                states[thd, 1] = {start}
 *         alloc_query(…, "insert …")               states[thd, 1].text
 *       <- return                                -> event, depth 1
 *       Protocol::send_error(…, 1062, …)         states[thd, 0].error
 *     <- return 0                              -> event;   2: it resumes later
 *
 * The text of an execution is the text with which its Prepared_statement was prepared, which the
 * frontend keeps. So we always report preparations, and the ends of connections.
 */
#pragma once

#include "bpf/servers/statement.bpf.h"
#include "bpf/lib/table.h"

enum { DISPATCH_COMMAND_WOULDBLOCK = 2 };
enum { /* errors of which the client is not informed */
       MYSQL_NET_ERROR_ON_WRITE = 1160,
       MYSQL_NET_WRITE_INTERRUPTED = 1161,
};
enum { STATEMENT_DEPTHS = 64 }; /* procedure calls whose state we delete when a thread ends */

/* The connection for which a thread executes a command. */
struct statement_thread {
	__u64 thd;   /* 0: no command */
	__u64 depth; /* of stored procedure calls */
	__u32 error; /* the last error of this command, sent or not; 0: none */
	char sqlstate[sizeof(((struct statement_event *)0)->sqlstate)];
	char pad[3];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, struct statement_thread);
} statement_threads SEC(".maps");

static __always_inline bool is_wanted(__u32 command)
{
	command &= 255;
	return statement_config.commands[command >> 6] >> (command & 63) & 1;
}

static __always_inline bool has_text(__u32 command)
{
	return statement_config.texts_of_prepared &&
	       (command == STATEMENT_PREPARE || command == STATEMENT_QUIT);
}

static __always_inline bool has_statement_id(__u32 command)
{
	return command == STATEMENT_EXECUTE || command == STATEMENT_LONG_DATA ||
	       command == STATEMENT_CLOSE || command == STATEMENT_RESET ||
	       command == STATEMENT_FETCH || command == STATEMENT_BULK_EXECUTE;
}

static __always_inline struct statement_thread *statement_current_thread(void)
{
	__u32 tid = bpf_get_current_pid_tgid();

	return bpf_map_lookup_elem(&statement_threads, &tid);
}

/* If the map is full, counts a lost statement and returns false. */
static __always_inline bool statement_set_thread(__u64 thd)
{
	struct statement_thread *thread = statement_current_thread(), first = {.thd = thd};
	__u32 tid = bpf_get_current_pid_tgid();

	if (thread)
		*thread = first;
	else if (thd && bpf_map_update_elem(&statement_threads, &tid, &first, BPF_ANY))
		return statement_count_lost(STATEMENT_NO_STATE), false;
	return true;
}

static __always_inline void statement_read_name(char *name, const void *pointer)
{
	__builtin_memset(name, 0, STATEMENT_NAME); /* names are keys, with all their bytes */
	if (pointer)
		bpf_probe_read_user_str(name, STATEMENT_NAME, pointer);
}

/* Reads the names as they are when the statement begins; the statement may change them. */
static __always_inline void statement_read_names(struct statement_event *event,
						 const struct statement_server *server)
{
	const void *database = NULL, *security = NULL, *user = NULL;

	if (server->database)
		bpf_probe_read_user(&database, 8, (void *)event->connection + server->database);
	if (server->security) {
		bpf_probe_read_user(&security, 8, (void *)event->connection + server->security);
		bpf_probe_read_user(&user, 8, security + server->user);
	}
	statement_read_name(event->session.database, database);
	statement_read_name(event->session.user, user);
}

static __always_inline void statement_read_connection(struct statement_event *event, void *servers)
{
	__u32 zero = 0;
	const struct statement_server *server = bpf_map_lookup_elem(servers, &zero);

	event->connection_id = 0;
	event->reports_errors = 0;
	if (!server)
		return;
	event->reports_errors = server->reports_errors && !event->depth;
	if (server->connection_bytes == 8)
		bpf_probe_read_user(&event->connection_id, 8,
				    (void *)event->connection + server->connection);
	else if (server->connection_bytes)
		bpf_probe_read_user(&event->connection_id, 4,
				    (void *)event->connection + server->connection);
	if (statement_config.names)
		statement_read_names(event, server);
}

/* Starts a statement of the connection `key->owner`. */
static __always_inline void statement_of_connection(const struct statement_key *key,
						    struct statement_state *state, __u32 command,
						    void *servers)
{
	statement_start(key, state, command);
	state->event.connection = key->owner;
	state->event.depth = key->depth;
	statement_read_connection(&state->event, servers);
}

/*
 * At the entry of dispatch_command(). `data`: if `is_packet`, the content of a packet, which has
 * `length` bytes; else a COM_DATA. Returns non-zero if the call is not wanted. A COM_MULTI is not:
 * the server dispatches its commands one by one.
 */
static __always_inline int enter_command(void *servers, __u32 command, __u64 thd, const void *data,
					 __u32 length, bool is_packet)
{
	struct statement_key key = statement_key(thd, 0);
	struct statement_state *state;
	const void *text = data;

	if (command == STATEMENT_MULTI || !(is_wanted(command) || has_text(command)))
		return 1;
	state = statement_make(&key);
	if (!state)
		return 1;
	if (!statement_set_thread(thd)) {
		statement_delete(&key, state);
		return 1;
	}
	if (state->is_suspended && state->data == (__u64)data && state->event.kind == command) {
		state->is_suspended = 0;
		return 0;
	}
	statement_of_connection(&key, state, command, servers);
	state->data = (__u64)data;
	if (command == STATEMENT_QUERY || command == STATEMENT_PREPARE ||
	    command == STATEMENT_INIT_DB) {
		if (!is_packet) { /* these members of COM_DATA begin with {const char *; length} */
			text = NULL;
			bpf_probe_read_user(&text, sizeof(text), data);
			bpf_probe_read_user(&length, sizeof(length), data + 8);
		}
		statement_read_sized(&key, state, text, length);
	} else if (has_statement_id(command)) { /* packet and COM_DATA begin with it */
		bpf_probe_read_user(&state->event.statement_id, sizeof(__u32), data);
	}
	state->start_ns = state->event.start_ns = bpf_ktime_get_ns();
	return 0;
}

static __always_inline void leave_command(__u64 thd, __u32 result)
{
	struct statement_key key = statement_key(thd, 0);
	struct statement_state *state = bpf_map_lookup_elem(&statement_states, &key);

	statement_set_thread(0);
	if (!state || state->is_suspended)
		return;
	if (result == DISPATCH_COMMAND_WOULDBLOCK) {
		state->is_suspended = 1;
		return;
	}
	statement_finish(&key, state);
	statement_delete(&key, state);
}

/*
 * Call at a return whose entry the map of calls has not kept: counts a lost statement if it was
 * wanted. `depth`: 0 for a command, 1 for a statement of a stored procedure.
 */
static __always_inline void statement_lose(__u64 depth)
{
	struct statement_thread *thread = statement_current_thread();
	struct statement_key key;

	if (!thread || !thread->thd || thread->depth < depth)
		return;
	statement_count_lost(STATEMENT_CALLS_FULL);
	key = statement_key(thread->thd, depth ? thread->depth : 0);
	statement_forget(&key);
	if (depth)
		thread->depth--;
	else
		thread->thd = 0;
}

/*
 * dispatch_command(). `status` is TABLE_AT_ENTRY at its entry. At its return, `thd` is the
 * connection; if `status` is negative, the map of calls under way was full.
 */
__hidden __noinline int statement_packet(struct pt_regs *ctx, void *servers, void *unused,
					 __u64 thd, __s64 status)
{
	if (status == TABLE_AT_ENTRY)
		return enter_command(servers, PT_REGS_PARM1(ctx), PT_REGS_PARM2(ctx),
				     (void *)PT_REGS_PARM3(ctx), PT_REGS_PARM4(ctx), true);
	if (status < 0)
		statement_lose(0);
	else
		leave_command(thd, site_result(ctx) & 0xff);
	return 0;
}

/* dispatch_command() of servers that pass a COM_DATA. These servers never suspend a command. */
__hidden __noinline int statement_com_data(struct pt_regs *ctx, void *servers, void *unused,
					   __u64 thd, __s64 status)
{
	if (status == TABLE_AT_ENTRY)
		return enter_command(servers, PT_REGS_PARM3(ctx), PT_REGS_PARM1(ctx),
				     (void *)PT_REGS_PARM2(ctx), 0, false);
	if (status < 0)
		statement_lose(0);
	else
		leave_command(thd, 0);
	return 0;
}

/* Returns the client's command that the current thread executes, or NULL if it is not wanted. */
static __always_inline struct statement_state *statement_current(void)
{
	struct statement_thread *thread = statement_current_thread();
	struct statement_state *state;
	struct statement_key key;

	if (!thread || !thread->thd)
		return NULL;
	key = statement_key(thread->thd, 0);
	state = bpf_map_lookup_elem(&statement_states, &key);
	return state && !state->is_suspended ? state : NULL;
}

/*
 * At a method of Prepared_statement. The first argument is the address of the Prepared_statement.
 */
__hidden __noinline int statement_prepared(struct pt_regs *ctx, void *servers, void *unused,
					   __u64 measured, __s64 status)
{
	struct statement_state *state = statement_current();
	__u32 command = state ? state->event.kind : 0;

	/*
	 * Keep the address of the outermost one: a statement that is prepared again creates
	 * another.
	 */
	if (state && !state->event.prepared &&
	    (command == STATEMENT_PREPARE || command == STATEMENT_EXECUTE ||
	     command == STATEMENT_BULK_EXECUTE))
		state->event.prepared = PT_REGS_PARM1(ctx);
	return 0;
}

static __always_inline int take_error(__u32 number, const void *sqlstate)
{
	struct statement_state *state = statement_current();

	if (!state)
		return 0;
	state->event.error = number;
	bpf_probe_read_user(state->event.sqlstate, sizeof(state->event.sqlstate), sqlstate);
	return 0;
}

/*
 * At functions that send an error to the client, with the arguments (this, number, message,
 * SQLSTATE) or (this, connection, number, message, SQLSTATE). The connection may not be the one for
 * which the thread works: it may be another client that the server refuses or disconnects.
 */
__hidden __noinline int statement_error2(struct pt_regs *ctx, void *servers, void *unused,
					 __u64 measured, __s64 status)
{
	return take_error(PT_REGS_PARM2(ctx), (void *)PT_REGS_PARM4(ctx));
}
__hidden __noinline int statement_error3(struct pt_regs *ctx, void *servers, void *unused,
					 __u64 measured, __s64 status)
{
	struct statement_thread *thread = statement_current_thread();

	if (!thread || thread->thd != PT_REGS_PARM2(ctx))
		return 0;
	return take_error(PT_REGS_PARM3(ctx), (void *)PT_REGS_PARM5(ctx));
}

/*
 * For a function with the same arguments as statement_error2() that is called for every error,
 * including those in stored procedures, which the client may never receive.
 */
__hidden __noinline int statement_any_error(struct pt_regs *ctx, void *servers, void *unused,
					    __u64 measured, __s64 status)
{
	struct statement_thread *thread = statement_current_thread();
	__u32 number = PT_REGS_PARM2(ctx);

	if (number == MYSQL_NET_ERROR_ON_WRITE || number == MYSQL_NET_WRITE_INTERRUPTED)
		return take_error(number, (void *)PT_REGS_PARM4(ctx));
	if (!thread || !thread->thd)
		return 0;
	thread->error = number;
	bpf_probe_read_user(thread->sqlstate, sizeof(thread->sqlstate), (void *)PT_REGS_PARM4(ctx));
	return 0;
}

/*
 * Stores the error of a nested statement. The result of sp_instr_stmt::execute() says whether the
 * statement has failed. Its error is the last one of the command, if we saw one.
 */
static __always_inline void end_nested(struct statement_event *event,
				       const struct statement_thread *thread, bool has_failed)
{
	event->reports_errors = !has_failed || thread->error;
	if (!has_failed || !thread->error)
		return;
	event->error = thread->error;
	__builtin_memcpy(event->sqlstate, thread->sqlstate, sizeof(event->sqlstate));
}

/*
 * At sp_instr_stmt::execute(connection, …), which executes a statement of a stored procedure or
 * function.
 */
__hidden __noinline int statement_nested(struct pt_regs *ctx, void *servers, void *unused,
					 __u64 thd, __s64 status)
{
	struct statement_thread *thread = statement_current_thread();
	struct statement_state *state;
	struct statement_key key;

	if (status < 0)
		statement_lose(1);
	if (status < 0 || !thread)
		return 1;
	if (status == TABLE_AT_ENTRY) {
		if (thread->thd != PT_REGS_PARM2(ctx) || !statement_current())
			return 1;
		key = statement_key(thread->thd, thread->depth + 1);
		state = statement_make(&key);
		if (!state)
			return 1;
		thread->depth++;
		statement_of_connection(&key, state, STATEMENT_QUERY, servers);
		return 0;
	}
	key = statement_key(thd, thread->depth);
	state = bpf_map_lookup_elem(&statement_states, &key);
	if (!thread->depth || !state)
		return 0;
	thread->depth--;
	end_nested(&state->event, thread, site_result(ctx) & 0xff);
	statement_finish(&key, state);
	statement_delete(&key, state);
	return 0;
}

/*
 * At alloc_query(connection, text, length). The first call in a nested statement has the
 * statement's text.
 */
__hidden __noinline int statement_nested_text(struct pt_regs *ctx, void *servers, void *unused,
					      __u64 measured, __s64 status)
{
	struct statement_thread *thread = statement_current_thread();
	struct statement_state *state;
	struct statement_key key;

	if (!thread || !thread->depth || thread->thd != PT_REGS_PARM1(ctx))
		return 0;
	key = statement_key(thread->thd, thread->depth);
	state = bpf_map_lookup_elem(&statement_states, &key);
	if (state && !state->event.length)
		statement_read_sized(&key, state, (void *)PT_REGS_PARM2(ctx), PT_REGS_PARM3(ctx));
	return 0;
}

/*
 * Deletes a dying thread's state: its tid may be reused. This includes the statements that it was
 * executing for a connection, because no other thread resumes them.
 */
SEC("raw_tp/sched_process_exit")
int probe_thread_end(void *ctx)
{
	struct statement_thread *thread = statement_current_thread();
	__u32 tid = bpf_get_current_pid_tgid();
	struct statement_key key;

	statement_forget_thread();
	if (!thread)
		return 0;
	for (__u32 depth = 0; depth < STATEMENT_DEPTHS && depth <= thread->depth; depth++) {
		key = statement_key(thread->thd, depth);
		statement_forget(&key);
	}
	bpf_map_delete_elem(&statement_threads, &tid);
	return 0;
}

#define STATEMENT_MYSQL_TEMPLATE(function)                                                         \
	SEC("template")                                                                            \
	int function##_template(struct pt_regs *ctx)                                               \
	{                                                                                          \
		return function(ctx, &statement_servers, NULL, 0, 0);                              \
	}
STATEMENT_MYSQL_TEMPLATE(statement_packet)
STATEMENT_MYSQL_TEMPLATE(statement_com_data)
STATEMENT_MYSQL_TEMPLATE(statement_prepared)
STATEMENT_MYSQL_TEMPLATE(statement_error2)
STATEMENT_MYSQL_TEMPLATE(statement_error3)
STATEMENT_MYSQL_TEMPLATE(statement_any_error)
STATEMENT_MYSQL_TEMPLATE(statement_nested)
STATEMENT_MYSQL_TEMPLATE(statement_nested_text)
