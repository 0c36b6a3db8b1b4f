/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * rediscommands: the C half of its program, which is generated (common/expr/program.h, Sink::Key).
 *
 * The arguments of a command are robj, reference-counted objects, and their texts sds, whose length
 * stands before them; these two are the same from Redis 3.2 to 7.x and in Valkey:
 *
 *     robj    4 bits type (0: string), 4 bits encoding (0: sds, 8: sds in one piece with it,
 *             1: a number in place of the pointer), 24 bits; int references; void *pointer
 *     sds     [length | allocated | flags] text …   the pointer leads to the text; the low 3 bits
 *             of `flags` say how wide the two numbers are: 1: 1 byte, 2: 2, 3: 4, 4: 8; 0: there
 *             are none, the length is in the other 5 bits
 *
 * What does not look so is said to be unreadable.
 */
#include "lib/bpf.h"
#include "rediscommands.h"
#include "lib/ids.bpf.h"
#include "lib/probe.bpf.h"

const volatile struct rediscommands_config rediscommands_config = {};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* --buffer */
} rediscommands_events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} rediscommands_lost SEC(".maps");

struct scratch {
	struct rediscommands_event event;
	__u8 bytes[REDISCOMMANDS_BYTES + sizeof(struct rediscommands_argument) +
		   REDISCOMMANDS_ARGUMENT_BYTES];
};

/* By thread: a processor's would be shared with a program that interrupts this one. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, struct scratch);
} rediscommands_scratch SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} rediscommands_zero SEC(".maps");

enum { OBJECT_STRING = 0, OBJECT_RAW = 0, OBJECT_NUMBER = 1, OBJECT_EMBEDDED = 8 };

struct object {
	__u32 bits;
	__s32 references;
	__u64 pointer;
};

static __always_inline void count_lost(void)
{
	__u32 zero = 0;
	__u64 *lost = bpf_map_lookup_elem(&rediscommands_lost, &zero);

	if (lost)
		__sync_fetch_and_add(lost, 1);
}

static __always_inline struct scratch *scratch_of_thread(void)
{
	__u32 thread = bpf_get_current_pid_tgid(), index = 0;
	struct scratch *scratch = bpf_map_lookup_elem(&rediscommands_scratch, &thread);
	void *zero;

	if (scratch)
		return scratch;
	zero = bpf_map_lookup_elem(&rediscommands_zero, &index);
	if (zero)
		bpf_map_update_elem(&rediscommands_scratch, &thread, zero, BPF_NOEXIST);
	return bpf_map_lookup_elem(&rediscommands_scratch, &thread);
}

/* Not 0: this is no sds. */
static __always_inline long sds_length(__u64 text, __u64 *length)
{
	__u8 flags;

	*length = 0;
	if (bpf_probe_read_user(&flags, sizeof(flags), (void *)text - 1))
		return -1;
	switch (flags & 7) {
	case 0:
		*length = flags >> 3;
		return 0;
	case 1:
		return bpf_probe_read_user(length, 1, (void *)text - 3);
	case 2:
		return bpf_probe_read_user(length, 2, (void *)text - 5);
	case 3:
		return bpf_probe_read_user(length, 4, (void *)text - 9);
	case 4:
		return bpf_probe_read_user(length, 8, (void *)text - 17);
	}
	return -1;
}

/* Adds one argument behind the others. Not 0: there is no place. */
static __noinline int add_argument(struct scratch *scratch, __u64 address)
{
	struct rediscommands_argument *argument;
	struct object object = {};
	__u32 at = scratch->event.bytes, encoding, bytes;
	__u64 length = 0;

	if (at > REDISCOMMANDS_BYTES)
		return -1;
	argument = (void *)&scratch->bytes[at];
	scratch->event.shown++;
	scratch->event.bytes = at + sizeof(*argument);
	argument->kind = REDISCOMMANDS_UNREADABLE;
	argument->length = 0;
	if (bpf_probe_read_user(&object, sizeof(object), (void *)address))
		return 0;
	encoding = object.bits >> 4 & 15;
	if ((object.bits & 15) != OBJECT_STRING || object.references <= 0)
		return 0;
	if (encoding == OBJECT_NUMBER) {
		argument->kind = REDISCOMMANDS_NUMBER;
		argument->length = object.pointer;
		return 0;
	}
	if ((encoding != OBJECT_RAW && encoding != OBJECT_EMBEDDED) ||
	    sds_length(object.pointer, &length))
		return 0;
	bytes = length < rediscommands_config.argument_bytes ? length
							     : rediscommands_config.argument_bytes;
	if (bytes > REDISCOMMANDS_ARGUMENT_BYTES)
		return 0;
	if (bpf_probe_read_user(argument + 1, bytes, (void *)object.pointer))
		return 0;
	argument->kind = REDISCOMMANDS_TEXT;
	argument->length = length;
	scratch->event.bytes += (bytes + 7) & ~7u;
	return 0;
}

/* `key`: client, argv, argc; `measured`: microseconds. */
__hidden __noinline int rediscommands_command(void *ctx, void *table, void *key, __u64 measured,
					      __s64 status)
{
	struct scratch *scratch = scratch_of_thread();
	__u64 *given = key, address, waiting, ids;
	struct rediscommands_event *event;
	__u32 bytes;

	if (!scratch) {
		count_lost();
		return 0;
	}
	event = &scratch->event;
	event->took_us = measured;
	event->arguments = given[2];
	event->shown = 0;
	event->bytes = 0;
	event->client = 0; /* the first member of its structure */
	bpf_probe_read_user(&event->client, sizeof(event->client), (void *)given[0]);
	for (__u32 i = 0; i < REDISCOMMANDS_ARGUMENTS; i++) {
		if (i >= event->arguments || i >= rediscommands_config.arguments)
			break;
		if (bpf_probe_read_user(&address, sizeof(address),
					(void *)given[1] + i * sizeof(address)))
			address = 0;
		if (add_argument(scratch, address))
			break;
	}
	ids = ids_current(rediscommands_config.pidns_device, rediscommands_config.pidns_inode);
	event->tgid = ids >> 32;
	event->tid = ids;
	event->ts_ns = bpf_ktime_get_ns();
	bytes = event->bytes;
	if (bytes > sizeof(scratch->bytes))
		return 0;
	waiting = bpf_ringbuf_query(&rediscommands_events, BPF_RB_AVAIL_DATA);
	if (bpf_ringbuf_output(&rediscommands_events, event, sizeof(*event) + bytes,
			       waiting >= rediscommands_config.wakeup_bytes ? BPF_RB_FORCE_WAKEUP
									    : BPF_RB_NO_WAKEUP))
		count_lost();
	return 0;
}

SEC("uprobe")
int rediscommands_template(void *ctx)
{
	__u64 key[3] = {};

	return rediscommands_command(ctx, &rediscommands_events, key, 0, 0);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
