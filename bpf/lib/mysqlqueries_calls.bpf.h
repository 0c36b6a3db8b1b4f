/*
 * mysqlqueries: the calls that are under way, by connection, with their texts; and which of them a
 * thread is executing. (mysqlqueries.bpf.c opens with the whole.)
 */
#pragma once

#include "mysqlqueries.h"

enum { IDLE, RUNNING, SUSPENDED };

struct call_key {
	__u64 thd;
	__u32 tgid;
	__u32 depth;
};

struct call {
	__u64 start_ns;
	__u64 data; /* of the packet: what a resumed command has, too */
	__u32 state;
	__u32 is_long; /* the text is in mysqlqueries_long */
	struct mysqlqueries_event event;
	char text[MYSQLQUERIES_SHORT];
};

struct long_call {
	struct mysqlqueries_event event;
	char text[MYSQLQUERIES_LONG];
};

struct thread {
	__u64 thd;
	__u64 depth;
};

const volatile struct mysqlqueries_config mysqlqueries_config = {};

/* One for each connection, until it ends. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct call_key);
	__type(value, struct call);
} mysqlqueries_calls SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 256);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct call_key);
	__type(value, struct long_call);
} mysqlqueries_long SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, struct thread);
} mysqlqueries_threads SEC(".maps");

/* What new entries are made of: too large for the stack. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct call);
} mysqlqueries_new_call SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct long_call);
} mysqlqueries_new_long SEC(".maps");

/* Statements that found no place in the buffer; and none among the calls under way. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} mysqlqueries_lost SEC(".maps"), mysqlqueries_crowded SEC(".maps");

static __always_inline void count(void *counter)
{
	__u32 zero = 0;
	__u64 *value = bpf_map_lookup_elem(counter, &zero);

	if (value)
		__sync_fetch_and_add(value, 1);
}

/* Not more than `most`, in a way that no compiler takes apart and every verifier follows. */
static __always_inline __u64 at_most(__u64 value, __u64 most)
{
	asm volatile("" : "+r"(value));
	if (value > most)
		value = most;
	asm volatile("" : "+r"(value));
	return value > most ? most : value;
}

static __always_inline struct call_key key_of(__u64 thd, __u32 depth)
{
	struct call_key key = {thd, bpf_get_current_pid_tgid() >> 32, depth};

	return key;
}

static __always_inline struct thread *current_thread(void)
{
	__u32 tid = bpf_get_current_pid_tgid();

	return bpf_map_lookup_elem(&mysqlqueries_threads, &tid);
}

static __always_inline void enter_thread(__u64 thd)
{
	__u32 tid = bpf_get_current_pid_tgid();
	struct thread *thread = bpf_map_lookup_elem(&mysqlqueries_threads, &tid);
	struct thread first = {.thd = thd};

	if (thread)
		*thread = first;
	else
		bpf_map_update_elem(&mysqlqueries_threads, &tid, &first, BPF_ANY);
}

/* The entry of `key`, made when it is not there; NULL, and counted, when there is no place. */
static __always_inline struct call *call_of(const struct call_key *key)
{
	struct call *call = bpf_map_lookup_elem(&mysqlqueries_calls, key);
	__u32 zero = 0;
	void *first;

	if (call)
		return call;
	first = bpf_map_lookup_elem(&mysqlqueries_new_call, &zero);
	if (first)
		bpf_map_update_elem(&mysqlqueries_calls, key, first, BPF_NOEXIST);
	call = bpf_map_lookup_elem(&mysqlqueries_calls, key);
	if (!call)
		count(&mysqlqueries_crowded);
	return call;
}

static __always_inline void begin(struct call *call, const struct call_key *key, __u32 command)
{
	if (call->is_long)
		bpf_map_delete_elem(&mysqlqueries_long, key);
	call->is_long = 0;
	call->state = RUNNING;
	call->event.thd = key->thd;
	call->event.depth = key->depth;
	call->event.command = command;
	call->event.statement = 0;
	call->event.statement_id = 0;
	call->event.error = 0;
	call->event.length = 0;
	call->event.kept = 0;
	call->event.unreadable = 0;
}

static __always_inline struct long_call *long_place(const struct call_key *key)
{
	__u32 zero = 0;
	void *first = bpf_map_lookup_elem(&mysqlqueries_new_long, &zero);

	if (first)
		bpf_map_update_elem(&mysqlqueries_long, key, first, BPF_ANY);
	return bpf_map_lookup_elem(&mysqlqueries_long, key);
}

static __always_inline void take_text(struct call *call, const struct call_key *key,
				      const void *text, __u32 length)
{
	__u64 bytes =
		length < mysqlqueries_config.text_bytes ? length : mysqlqueries_config.text_bytes;
	struct long_call *place = bytes > MYSQLQUERIES_SHORT ? long_place(key) : NULL;
	long error;

	if (place) {
		call->is_long = 1;
		bytes = at_most(bytes, MYSQLQUERIES_LONG);
		error = bpf_probe_read_user(place->text, bytes, text);
	} else {
		bytes = at_most(bytes, MYSQLQUERIES_SHORT);
		error = bpf_probe_read_user(call->text, bytes, text);
	}
	call->event.length = length;
	call->event.kept = error ? 0 : bytes;
	call->event.unreadable = error;
}
