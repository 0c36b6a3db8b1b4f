/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * mysqlqueries: the C half of its programs, which are generated (common/expr/program.h, Sink::Key);
 * common/db/mysql.cpp explains the functions that they are attached to.
 *
 * A server overwrites a packet while it answers, so the text is taken at the entry of
 * dispatch_command() and waits here for its return: with the connection (THD), not with the thread,
 * for a command that has to wait may be ended by another thread. What happens between the two is
 * found by the thread. Nearly all texts fit the place that a connection keeps; a longer one gets
 * its own as long as the call is under way.
 *
 *     dispatch_command(Query, thd, "call p()")     calls[thd, 0] = {start, text}, threads[tid] = thd
 *       sp_instr_stmt::execute(…)                    calls[thd, 1] = {start}
 *         alloc_query(…, "insert …")                   calls[thd, 1].text
 *       <- return                                    -> event, depth 1
 *       Protocol::send_error(…, 1062, …)             calls[thd, 0].error
 *     <- return 0                                  -> event;   2: it goes on later
 */
#include "lib/bpf.h"
#include <bpf/bpf_tracing.h>
#include "lib/mysqlqueries_calls.bpf.h"
#include "lib/ids.bpf.h"
#include "lib/probe.bpf.h"
#include "lib/table.h"

/* enum enum_server_command: common/db/mysql.h */
enum {
	COM_QUIT = 1,
	COM_INIT_DB = 2,
	COM_QUERY = 3,
	COM_STMT_PREPARE = 22,
	COM_STMT_EXECUTE = 23,
	COM_STMT_SEND_LONG_DATA = 24,
	COM_STMT_CLOSE = 25,
	COM_STMT_RESET = 26,
	COM_STMT_FETCH = 28,
	COM_STMT_BULK_EXECUTE = 250,
	COM_MULTI = 254,
};
enum { DISPATCH_COMMAND_WOULDBLOCK = 2 };

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 8 << 20); /* set by the frontend */
} mysqlqueries_events SEC(".maps");

/* Only for the templates, which are never attached; each server has its own. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct mysqlqueries_server);
} mysqlqueries_servers SEC(".maps");

static __always_inline bool is_wanted(__u32 command)
{
	command &= 255;
	return mysqlqueries_config.commands[command >> 6] >> (command & 63) & 1;
}

/* Of an execution the text is known by the statement's preparation, which is always told. */
static __always_inline bool is_told(__u32 command)
{
	return is_wanted(command) || command == COM_STMT_PREPARE || command == COM_QUIT;
}

static __always_inline bool has_statement_id(__u32 command)
{
	return command == COM_STMT_EXECUTE || command == COM_STMT_SEND_LONG_DATA ||
	       command == COM_STMT_CLOSE || command == COM_STMT_RESET ||
	       command == COM_STMT_FETCH || command == COM_STMT_BULK_EXECUTE;
}

/*
 * `data`: of a packet what it holds, of a COM_DATA itself; `length` of a packet. Not 0: the call is
 * not wanted. A COM_MULTI has its commands dispatched one by one.
 */
static __always_inline int enter_command(__u32 command, __u64 thd, const void *data, __u32 length,
					 bool is_packet)
{
	struct call_key key = key_of(thd, 0);
	struct call *call;
	const void *text = data;

	if (command == COM_MULTI || !is_told(command))
		return 1;
	enter_thread(thd);
	call = call_of(&key);
	if (!call)
		return 1;
	if (call->state == SUSPENDED && call->data == (__u64)data &&
	    call->event.command == command) {
		call->state = RUNNING;
		return 0;
	}
	begin(call, &key, command);
	call->data = (__u64)data;
	if (command == COM_QUERY || command == COM_STMT_PREPARE || command == COM_INIT_DB) {
		if (!is_packet) { /* every member begins with {const char *; length} */
			text = NULL;
			bpf_probe_read_user(&text, sizeof(text), data);
			bpf_probe_read_user(&length, sizeof(length), data + 8);
		}
		take_text(call, &key, text, length);
	} else if (has_statement_id(command)) { /* both begin with it */
		bpf_probe_read_user(&call->event.statement_id, sizeof(__u32), data);
	}
	call->start_ns = bpf_ktime_get_ns();
	return 0;
}

static __always_inline void read_connection(struct mysqlqueries_event *event, void *servers)
{
	__u32 zero = 0;
	const struct mysqlqueries_server *server = bpf_map_lookup_elem(servers, &zero);
	void *security = NULL, *name = NULL;

	event->connection = 0;
	event->user[0] = 0;
	event->tells_errors = 0;
	if (!server)
		return;
	event->tells_errors = server->tells_errors && !event->depth;
	if (server->connection_bytes == 8)
		bpf_probe_read_user(&event->connection, 8, (void *)event->thd + server->connection);
	else if (server->connection_bytes)
		bpf_probe_read_user(&event->connection, 4, (void *)event->thd + server->connection);
	if (!mysqlqueries_config.user || !server->security)
		return;
	bpf_probe_read_user(&security, 8, (void *)event->thd + server->security);
	bpf_probe_read_user(&name, 8, security + server->user);
	bpf_probe_read_user_str(event->user, sizeof(event->user), name);
}

static __always_inline void submit(struct call *call, const struct call_key *key, void *servers,
				   __u64 now_ns)
{
	struct mysqlqueries_event *event = &call->event;
	__u64 ids = ids_current(mysqlqueries_config.pidns_device, mysqlqueries_config.pidns_inode);
	__u64 waiting = bpf_ringbuf_query(&mysqlqueries_events, BPF_RB_AVAIL_DATA);
	__u64 flags = waiting >= mysqlqueries_config.wakeup_bytes ? BPF_RB_FORCE_WAKEUP
								  : BPF_RB_NO_WAKEUP;
	struct long_call *place;
	__u64 bytes = event->kept;
	long error;

	event->ts_ns = now_ns;
	event->latency_ns = now_ns - call->start_ns;
	event->tgid = ids >> 32;
	event->tid = ids;
	read_connection(event, servers);
	if (call->is_long) {
		place = bpf_map_lookup_elem(&mysqlqueries_long, key);
		if (!place)
			return count(&mysqlqueries_lost);
		place->event = *event;
		bytes = at_most(bytes, MYSQLQUERIES_LONG);
		error = bpf_ringbuf_output(&mysqlqueries_events, place, sizeof(*event) + bytes,
					   flags);
	} else {
		bytes = at_most(bytes, MYSQLQUERIES_SHORT);
		error = bpf_ringbuf_output(&mysqlqueries_events, event, sizeof(*event) + bytes,
					   flags);
	}
	if (error)
		count(&mysqlqueries_lost);
}

static __always_inline int leave_command(void *servers, __u64 thd, __u32 result, bool is_packet)
{
	__u64 now_ns = bpf_ktime_get_ns();
	struct call_key key = key_of(thd, 0);
	struct call *call = bpf_map_lookup_elem(&mysqlqueries_calls, &key);
	__u32 command;

	if (!call || call->state != RUNNING)
		return 0;
	if (is_packet && result == DISPATCH_COMMAND_WOULDBLOCK) {
		call->state = SUSPENDED;
		return 0;
	}
	call->state = IDLE;
	command = call->event.command;
	/* The frontend hides those that are told for its own sake. */
	if (now_ns - call->start_ns >= mysqlqueries_config.min_ns || command == COM_STMT_PREPARE ||
	    command == COM_QUIT)
		submit(call, &key, servers, now_ns);
	if (call->is_long)
		bpf_map_delete_elem(&mysqlqueries_long, &key);
	call->is_long = 0;
	if (result || command == COM_QUIT)
		bpf_map_delete_elem(&mysqlqueries_calls, &key);
	return 0;
}

/*
 * dispatch_command(). `status`: TABLE_AT_ENTRY at its entry; at its return `thd` is the connection;
 * below zero there was no place to remember the call.
 */
__hidden __noinline int mysqlqueries_packet(struct pt_regs *ctx, void *servers, void *key,
					    __u64 thd, __s64 status)
{
	if (status == TABLE_AT_ENTRY)
		return enter_command(PT_REGS_PARM1(ctx), PT_REGS_PARM2(ctx),
				     (void *)PT_REGS_PARM3(ctx), PT_REGS_PARM4(ctx), true);
	if (status < 0)
		count(&mysqlqueries_crowded);
	else /* a bool is only 8 bits */
		leave_command(servers, thd, PT_REGS_RC(ctx) & 0xff, true);
	return 0;
}

__hidden __noinline int mysqlqueries_com_data(struct pt_regs *ctx, void *servers, void *key,
					      __u64 thd, __s64 status)
{
	if (status == TABLE_AT_ENTRY)
		return enter_command(PT_REGS_PARM3(ctx), PT_REGS_PARM1(ctx),
				     (void *)PT_REGS_PARM2(ctx), 0, false);
	if (status < 0)
		count(&mysqlqueries_crowded);
	else
		leave_command(servers, thd, PT_REGS_RC(ctx) & 0xff, false);
	return 0;
}

/* The client's command that the current thread is executing; NULL: none that is wanted. */
static __always_inline struct call *current_command(void)
{
	struct thread *thread = current_thread();
	struct call_key key;
	struct call *call;

	if (!thread)
		return NULL;
	key = key_of(thread->thd, 0);
	call = bpf_map_lookup_elem(&mysqlqueries_calls, &key);
	return call && call->state == RUNNING ? call : NULL;
}

/* A method of Prepared_statement, whose address is the first argument. */
__hidden __noinline int mysqlqueries_statement(struct pt_regs *ctx, void *servers, void *key,
					       __u64 measured, __s64 status)
{
	struct call *call = current_command();
	__u32 command = call ? call->event.command : 0;

	/* The outermost one: a statement that has to be prepared anew makes another. */
	if (call && !call->event.statement &&
	    (command == COM_STMT_PREPARE || command == COM_STMT_EXECUTE ||
	     command == COM_STMT_BULK_EXECUTE))
		call->event.statement = PT_REGS_PARM1(ctx);
	return 0;
}

static __always_inline int take_error(__u32 number, const void *sqlstate)
{
	struct call *call = current_command();

	if (!call)
		return 0;
	call->event.error = number;
	bpf_probe_read_user(call->event.sqlstate, sizeof(call->event.sqlstate), sqlstate);
	return 0;
}

/* A function (this, number, message, SQL state); and one with an argument more before these. */
__hidden __noinline int mysqlqueries_error2(struct pt_regs *ctx, void *servers, void *key,
					    __u64 measured, __s64 status)
{
	return take_error(PT_REGS_PARM2(ctx), (void *)PT_REGS_PARM4(ctx));
}
__hidden __noinline int mysqlqueries_error3(struct pt_regs *ctx, void *servers, void *key,
					    __u64 measured, __s64 status)
{
	return take_error(PT_REGS_PARM3(ctx), (void *)PT_REGS_PARM5(ctx));
}

/* sp_instr_stmt::execute(connection, …): a statement of a stored procedure or function. */
__hidden __noinline int mysqlqueries_nested(struct pt_regs *ctx, void *servers, void *unused,
					    __u64 thd, __s64 status)
{
	__u64 now_ns = bpf_ktime_get_ns();
	struct thread *thread = current_thread();
	struct call_key key;
	struct call *call;

	if (status < 0)
		count(&mysqlqueries_crowded);
	if (status < 0 || !thread)
		return 1;
	if (status == TABLE_AT_ENTRY) {
		if (thread->thd != PT_REGS_PARM2(ctx) || !current_command())
			return 1;
		key = key_of(thread->thd, thread->depth + 1);
		call = call_of(&key);
		if (!call)
			return 1;
		thread->depth++;
		begin(call, &key, COM_QUERY);
		call->start_ns = bpf_ktime_get_ns();
		return 0;
	}
	key = key_of(thd, thread->depth);
	call = bpf_map_lookup_elem(&mysqlqueries_calls, &key);
	if (!thread->depth || !call)
		return 0;
	thread->depth--;
	if (now_ns - call->start_ns >= mysqlqueries_config.min_ns)
		submit(call, &key, servers, now_ns);
	if (call->is_long)
		bpf_map_delete_elem(&mysqlqueries_long, &key);
	bpf_map_delete_elem(&mysqlqueries_calls, &key);
	return 0;
}

/* alloc_query(connection, text, length): its first call in one of those brings the text. */
__hidden __noinline int mysqlqueries_nested_text(struct pt_regs *ctx, void *servers, void *unused,
						 __u64 measured, __s64 status)
{
	struct thread *thread = current_thread();
	struct call_key key;
	struct call *call;

	if (!thread || !thread->depth || thread->thd != PT_REGS_PARM1(ctx))
		return 0;
	key = key_of(thread->thd, thread->depth);
	call = bpf_map_lookup_elem(&mysqlqueries_calls, &key);
	if (call && !call->event.length)
		take_text(call, &key, (void *)PT_REGS_PARM2(ctx), PT_REGS_PARM3(ctx));
	return 0;
}

#define MYSQLQUERIES_TEMPLATE(function)                                                            \
	SEC("uprobe")                                                                              \
	int function##_template(struct pt_regs *ctx)                                               \
	{                                                                                          \
		return function(ctx, &mysqlqueries_servers, NULL, 0, 0);                           \
	}
MYSQLQUERIES_TEMPLATE(mysqlqueries_packet)
MYSQLQUERIES_TEMPLATE(mysqlqueries_com_data)
MYSQLQUERIES_TEMPLATE(mysqlqueries_statement)
MYSQLQUERIES_TEMPLATE(mysqlqueries_error2)
MYSQLQUERIES_TEMPLATE(mysqlqueries_error3)
MYSQLQUERIES_TEMPLATE(mysqlqueries_nested)
MYSQLQUERIES_TEMPLATE(mysqlqueries_nested_text)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
