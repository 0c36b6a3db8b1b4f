/*
 * Commands of Redis and Valkey servers: the C functions that generated programs call
 * (common/expr/compile.h, OutputKind::Key). common/db/redis.cpp explains the probed functions. If
 * we measure call() from its entry to its return, we copy the arguments at the entry, because they
 * may be freed before the end. We keep them by thread and stack pointer, because call() is
 * recursive: transactions and scripts call it again.
 */
#pragma once

#include <bpf/bpf_tracing.h>
#include "bpf/servers/redis.h"
#include "bpf/servers/redis_object.bpf.h"
#include "bpf/lib/emit.bpf.h"
#include "bpf/lib/ids.bpf.h"
#include "bpf/lib/probe.bpf.h"

const volatile struct redis_config redis_config = {};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* --buffer */
} redis_events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, REDIS_LOST);
	__type(key, __u32);
	__type(value, __u64);
} redis_lost SEC(".maps");

struct command {
	__u64 start_ns; /* of a call() that is under way; else 0 */
	__u64 client;	/* the address of its client */
	struct redis_event event;
	__u8 bytes[REDIS_BYTES + sizeof(struct redis_argument) + REDIS_ARGUMENT_BYTES];
};

/* Buffers are by thread, because programs that preempt each other would share a buffer of a CPU. */
struct command_key {
	__u32 thread;
	__u32 pad;
	__u64 stack; /* the stack pointer at call()'s entry; else 0 */
};

/*
 * Entries stay while the thread lives: call() runs at few different stack pointers in a server, and
 * creating an entry costs more than everything else.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct command_key);
	__type(value, struct command);
} redis_commands SEC(".maps");

/* The entries of a thread, so that we can delete them. When there are too many, the oldest goes. */
enum { THREAD_ENTRIES = 16 };
struct thread_entries {
	__u64 stacks[THREAD_ENTRIES];
	__u64 made;
};
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, struct thread_entries);
} redis_threads SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct command);
} redis_zero SEC(".maps");

struct secret_key {
	__u64 client;
	__u64 process;
};

/* Clients whose call() is executing a command that contains secrets. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, struct secret_key);
	__type(value, __u8);
} redis_secrets SEC(".maps");

/*
 * The last error that a thread has sent. It belongs to the command that has ended if it was sent to
 * the command's client while the command was executing. Errors of commands that the server refused,
 * and so does not execute, belong to none. Valkey 8.1 reports the commands of scripts with their
 * caller as the client, and with a duration of 0.
 */
struct redis_failure {
	__u64 ts_ns;
	__u64 client;
	__u64 is_refused; /* not an error yet: the next error belongs to a refused command */
	char code[REDIS_ERROR_BYTES];
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, struct redis_failure);
} redis_failures SEC(".maps");

enum { LOGGED_AFTER_NS = 1000000 }; /* maximum time from a command's end until it is logged */

static __always_inline void count_lost(__u32 why)
{
	__u64 *lost = bpf_map_lookup_elem(&redis_lost, &why);

	if (lost)
		__sync_fetch_and_add(lost, 1);
}

/* If a command is still under way in this entry, we lose it. */
static __always_inline void drop_entry(__u32 thread, __u64 stack)
{
	struct command_key key = {.thread = thread, .stack = stack};
	struct command *command = bpf_map_lookup_elem(&redis_commands, &key);

	if (command && command->start_ns)
		count_lost(REDIS_CALLS_FULL);
	bpf_map_delete_elem(&redis_commands, &key);
}

/* Adds an entry to those of a thread. Returns non-zero if there are too many threads. */
static __always_inline int note_entry(__u32 thread, __u64 stack)
{
	struct thread_entries first = {.stacks = {stack}, .made = 1};
	struct thread_entries *entries = bpf_map_lookup_elem(&redis_threads, &thread);
	__u64 at;

	if (!entries)
		return bpf_map_update_elem(&redis_threads, &thread, &first, BPF_ANY);
	at = entries->made % THREAD_ENTRIES;
	if (entries->made >= THREAD_ENTRIES)
		drop_entry(thread, entries->stacks[at]);
	entries->stacks[at] = stack;
	entries->made++;
	return 0;
}

static __always_inline struct command *make_entry(const struct command_key *key)
{
	__u32 index = 0;
	void *zero = bpf_map_lookup_elem(&redis_zero, &index);

	if (!zero || note_entry(key->thread, key->stack))
		return NULL;
	bpf_map_update_elem(&redis_commands, key, zero, BPF_NOEXIST);
	return bpf_map_lookup_elem(&redis_commands, key);
}

/* Returns the entry of the current thread, or NULL if there is no room, which it counts. */
static __always_inline struct command *command_at(__u64 stack)
{
	struct command_key key = {.thread = bpf_get_current_pid_tgid(), .stack = stack};
	struct command *command = bpf_map_lookup_elem(&redis_commands, &key);

	if (!command)
		command = make_entry(&key);
	if (!command)
		count_lost(REDIS_CALLS_FULL);
	return command;
}

/* Appends one argument. Returns non-zero if there is no room for it. */
static __noinline int add_argument(struct command *command, __u64 address, bool has_texts_inside)
{
	struct redis_argument *argument;
	struct object object = {};
	__u32 at = command->event.bytes, bytes;
	__u64 length = 0, text;

	if (at > REDIS_BYTES)
		return -1;
	argument = (void *)&command->bytes[at];
	command->event.shown++;
	command->event.bytes = at + sizeof(*argument);
	argument->kind = REDIS_UNREADABLE;
	argument->length = 0;
	if (bpf_probe_read_user(&object, sizeof(object), (void *)address))
		return 0;
	if ((object.bits & 15) != OBJECT_STRING || !object.references)
		return 0;
	if ((object.bits >> 4 & 15) == OBJECT_NUMBER) {
		argument->kind = REDIS_NUMBER;
		argument->length = object.pointer;
		return 0;
	}
	text = text_of(&object, address, has_texts_inside);
	if (!text || sds_length(text, &length))
		return 0;
	bytes = length < redis_config.argument_bytes ? length : redis_config.argument_bytes;
	if (bytes > REDIS_ARGUMENT_BYTES)
		return 0;
	if (bpf_probe_read_user(argument + 1, bytes, (void *)text))
		return 0;
	argument->kind = REDIS_TEXT;
	argument->length = length;
	command->event.bytes += (bytes + 7) & ~7u;
	return 0;
}

static __always_inline void take(struct command *command, const struct redis_key *key)
{
	struct redis_event *event = &command->event;
	__u64 address;

	event->arguments = key->argc;
	event->shown = 0;
	event->bytes = 0;
	event->reports_errors = !!(key->server & REDIS_REPORTS_ERRORS);
	event->client = 0; /* the first member of its structure */
	bpf_probe_read_user(&event->client, sizeof(event->client), (void *)key->client);
	for (__u32 i = 0; i < REDIS_ARGUMENTS; i++) {
		if (i >= event->arguments || i >= redis_config.arguments)
			break;
		if (bpf_probe_read_user(&address, sizeof(address),
					(void *)key->argv + i * sizeof(address)))
			address = 0;
		if (add_argument(command, address, key->server & REDIS_TEXTS_INSIDE))
			break;
	}
}

static __always_inline void submit(struct command *command, __u64 now_ns)
{
	struct redis_event *event = &command->event;
	__u32 bytes = event->bytes;
	__u64 ids;

	ids = ids_current(redis_config.pidns_device, redis_config.pidns_inode);
	event->tgid = ids >> 32;
	event->tid = ids;
	event->ts_ns = now_ns;
	if (bytes > sizeof(command->bytes))
		return;
	if (emit_output(&redis_events, event, sizeof(*event) + bytes, redis_config.wakeup_bytes))
		count_lost(REDIS_BUFFER_FULL);
}

static __always_inline struct secret_key secret_of(__u64 client)
{
	struct secret_key key = {client, bpf_get_current_pid_tgid() >> 32};

	return key;
}

/* Call when a command has ended. Returns whether it had secrets, and deletes the mark. */
static __always_inline bool take_secret(__u64 client)
{
	struct secret_key key = secret_of(client);

	return bpf_map_lookup_elem(&redis_secrets, &key) &&
	       bpf_map_delete_elem(&redis_secrets, &key) == 0;
}

/* Stores the error of a command that began at `begin_ns`, if it had one, and deletes it. */
static __always_inline void take_failure(struct redis_event *event, __u64 client, __u64 begin_ns)
{
	__u32 thread = bpf_get_current_pid_tgid();
	struct redis_failure *failure = bpf_map_lookup_elem(&redis_failures, &thread);

	__builtin_memset(event->error, 0, sizeof(event->error));
	if (!failure)
		return;
	if (!failure->is_refused && failure->ts_ns >= begin_ns &&
	    (failure->client == client || !event->took_us))
		__builtin_memcpy(event->error, failure->code, sizeof(event->error));
	bpf_map_delete_elem(&redis_failures, &thread);
}

/* For functions that refuse a command with an error. `measured`: the client. */
__hidden __noinline int redis_refused(void *ctx, void *table, void *key, __u64 measured,
				      __s64 status)
{
	__u32 thread = bpf_get_current_pid_tgid();
	struct redis_failure failure = {
		.ts_ns = bpf_ktime_get_ns(), .client = measured, .is_refused = 1};

	bpf_map_update_elem(&redis_failures, &thread, &failure, BPF_ANY);
	return 0;
}

/*
 * The server sends an error: "-WRONGTYPE Operation against …", or the text of an ERR. `measured`:
 * the client.
 */
__hidden __noinline int redis_failed(struct pt_regs *ctx, void *table, void *key, __u64 measured,
				     __s64 status)
{
	__u32 thread = bpf_get_current_pid_tgid();
	struct redis_failure *last = bpf_map_lookup_elem(&redis_failures, &thread);
	struct redis_failure failure = {.ts_ns = bpf_ktime_get_ns(), .client = measured};
	char text[REDIS_ERROR_BYTES] = {};
	bool is_code = true;

	if (last && last->is_refused && last->client == measured &&
	    failure.ts_ns - last->ts_ns < LOGGED_AFTER_NS) {
		bpf_map_delete_elem(&redis_failures, &thread);
		return 0;
	}
	bpf_probe_read_user(text, sizeof(text), (void *)PT_REGS_PARM2(ctx));
	if (text[0] != '-')
		__builtin_memcpy(text, "-ERR", sizeof("-ERR"));
#pragma unroll
	for (__u32 i = 1; i < sizeof(text); i++) {
		is_code &= text[i] > ' ' && text[i] <= '~';
		failure.code[i - 1] = is_code ? text[i] : 0;
	}
	bpf_map_update_elem(&redis_failures, &thread, &failure, BPF_ANY);
	return 0;
}

/*
 * When the server passes a command to the slow log. `key`: a redis_key; `measured`: the duration in
 * us.
 */
__hidden __noinline int redis_command(void *ctx, void *table, void *key, __u64 measured,
				      __s64 status)
{
	struct command *command = command_at(0);
	__u64 client, now_ns;

	if (!command)
		return 0;
	take(command, key);
	client = ((struct redis_key *)key)->client;
	now_ns = bpf_ktime_get_ns();
	command->event.took_us = measured;
	command->event.is_secret = take_secret(client);
	take_failure(&command->event, client, now_ns - measured * 1000 - LOGGED_AFTER_NS);
	submit(command, now_ns);
	return 0;
}

/* At the entry of call(). `key`: a redis_key. */
__hidden __noinline int redis_begin(void *ctx, void *table, void *key, __u64 measured, __s64 status)
{
	struct command *command = command_at(PT_REGS_SP((struct pt_regs *)ctx));

	if (!command)
		return 0;
	take(command, key);
	command->client = ((struct redis_key *)key)->client;
	command->start_ns = bpf_ktime_get_ns();
	return 0;
}

/* For functions that only commands with secrets call. `measured`: the client. */
__hidden __noinline int redis_secret(void *ctx, void *table, void *key, __u64 measured,
				     __s64 status)
{
	struct secret_key secret = secret_of(measured);
	__u8 is = 1;

	bpf_map_update_elem(&redis_secrets, &secret, &is, BPF_ANY);
	return 0;
}

/* At the return of call(). */
__hidden __noinline int redis_end(void *ctx, void *table, void *key, __u64 measured, __s64 status)
{
	__u64 now_ns = bpf_ktime_get_ns(), took_ns;
	struct command_key own = {.thread = bpf_get_current_pid_tgid(),
				  .stack = site_entry_stack(ctx)};
	struct command *command = bpf_map_lookup_elem(&redis_commands, &own);

	if (!command || !command->start_ns)
		return 0;
	command->event.is_secret = take_secret(command->client);
	take_failure(&command->event, command->client, command->start_ns);
	took_ns = now_ns - command->start_ns;
	command->start_ns = 0;
	if (took_ns < redis_config.min_ns)
		return 0;
	command->event.took_us = took_ns / 1000;
	submit(command, now_ns);
	return 0;
}

SEC("raw_tp/sched_process_exit")
int probe_thread_end(void *ctx)
{
	__u32 thread = bpf_get_current_pid_tgid();
	struct thread_entries *entries = bpf_map_lookup_elem(&redis_threads, &thread);
	struct command_key key = {.thread = thread};

	if (!entries)
		return 0;
	for (__u32 i = 0; i < THREAD_ENTRIES && i < entries->made; i++) {
		key.stack = entries->stacks[i];
		bpf_map_delete_elem(&redis_commands, &key);
	}
	bpf_map_delete_elem(&redis_threads, &thread);
	return 0;
}

#define REDIS_TEMPLATE(function)                                                                   \
	SEC("template")                                                                            \
	int function##_template(void *ctx)                                                         \
	{                                                                                          \
		struct redis_key key = {};                                                         \
                                                                                                   \
		return function(ctx, &redis_events, &key, 0, 0);                                   \
	}
REDIS_TEMPLATE(redis_command)
REDIS_TEMPLATE(redis_begin)
REDIS_TEMPLATE(redis_secret)
REDIS_TEMPLATE(redis_refused)
REDIS_TEMPLATE(redis_failed)
REDIS_TEMPLATE(redis_end)
