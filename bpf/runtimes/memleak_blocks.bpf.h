/*
 * memleak: the blocks of memory that processes hold.
 *
 * Sampling. Nested calls share a random number (bpf/runtimes/inner_call.bpf.h). It selects a block
 * of b bytes with the probability min(1, b / N), and the frontend counts selected blocks of less
 * than N bytes as N bytes: the expected value is exact for every size.
 *
 * The frontend recognizes blocks of a process that has ended or called execve() by their time: it
 * is before the process's time in memleak_processes, or there is no such entry. The frontend
 * deletes these blocks.
 */
#pragma once

#include <bpf/bpf_tracing.h>
#include "bpf/lib/emit.bpf.h"
#include "bpf/lib/ids.bpf.h"
#include "bpf/lib/probe.bpf.h"
#include "bpf/lib/table.h"
#include "bpf/runtimes/inner_call.bpf.h"
#include "bpf/runtimes/memleak.h"
#include "bpf/unwind/unwind_site.bpf.h"

#define FIRST(ctx) PT_REGS_PARM1((struct pt_regs *)(ctx))
#define SECOND(ctx) PT_REGS_PARM2((struct pt_regs *)(ctx))
#define THIRD(ctx) PT_REGS_PARM3((struct pt_regs *)(ctx))
#define STACK(ctx) PT_REGS_SP((struct pt_regs *)(ctx))

const volatile struct memleak_config memleak_config = {};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* --blocks */
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct held_key);
	__type(value, struct held_block);
} memleak_blocks SEC(".maps");

/* The time since which we store a process's blocks. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u64);
} memleak_processes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* set by the frontend */
} memleak_events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, MEMLEAK_LOST);
	__type(key, __u32);
	__type(value, __u64);
} memleak_lost SEC(".maps");

static __always_inline void count_lost(__u32 why)
{
	__u64 *lost = bpf_map_lookup_elem(&memleak_lost, &why);

	if (lost)
		__sync_fetch_and_add(lost, 1);
}

static __always_inline bool refuses(__s64 status)
{
	if (status)
		count_lost(status == -28 /* ENOSPC */ ? MEMLEAK_NO_CALL : MEMLEAK_UNREADABLE);
	return status;
}

static __always_inline __u64 shown_ids(void)
{
	return ids_current(memleak_config.pidns_device, memleak_config.pidns_inode);
}

static __always_inline struct held_key offset_of(__u64 address)
{
	struct held_key place = {.address = address, .tgid = bpf_get_current_pid_tgid() >> 32};
	return place;
}

static __noinline int report(__u64 address, __u64 bytes, __u32 what)
{
	struct memleak_event *event;
	__u64 ids = shown_ids();

	event = bpf_ringbuf_reserve(&memleak_events, sizeof(*event), 0);
	if (!event) {
		count_lost(MEMLEAK_NO_EVENT);
		return 0;
	}
	event->ts_ns = bpf_ktime_get_ns();
	event->address = address;
	event->bytes = bytes;
	event->tgid = ids >> 32;
	event->tid = ids;
	event->what = what;
	event->pad = 0;
	bpf_get_current_comm(event->comm, sizeof(event->comm));
	emit_submit(&memleak_events, event, memleak_config.wakeup_bytes);
	return 0;
}

static __always_inline bool is_sampled(__u64 bytes, __u32 chance)
{
	if (memleak_config.sample_every)
		return !((__u64)chance * memleak_config.sample_every >> 32);
	if (!memleak_config.sample_bytes || bytes >= memleak_config.sample_bytes)
		return true;
	return (__u64)chance * memleak_config.sample_bytes >> 32 < (bytes ? bytes : 1);
}

static __always_inline bool is_sampling(void)
{
	return memleak_config.sample_every || memleak_config.sample_bytes;
}

static __always_inline bool is_wanted(__u64 bytes)
{
	return bytes >= memleak_config.least_bytes && bytes <= memleak_config.max_bytes &&
	       (!is_sampling() || is_sampled(bytes, inner_call_chance()));
}

/*
 * Stores when we first saw the process, so that its blocks differ from those of an earlier process
 * with its id. Returns false if the map is full.
 */
static __always_inline bool knows_process(const struct held_key *place, __u64 ts_ns)
{
	__u32 tgid = place->tgid;

	if (bpf_map_lookup_elem(&memleak_processes, &tgid))
		return true;
	bpf_map_update_elem(&memleak_processes, &tgid, &ts_ns, BPF_NOEXIST);
	if (bpf_map_lookup_elem(&memleak_processes, &tgid))
		return true;
	count_lost(MEMLEAK_NO_PROCESS);
	return false;
}

static __noinline int keep(void *ctx, __u64 address, __u64 bytes, __u32 is_mapping)
{
	struct held_key place = {address, bpf_get_current_pid_tgid() >> 32, is_mapping};
	struct held_block block = {.ts_ns = bpf_ktime_get_ns(), .bytes = bytes};

	if (!knows_process(&place, block.ts_ns))
		return 0;
	block.stack.kernel_id = STACK_KEY_NONE;
	block.stack.tgid = shown_ids() >> 32;
	block.stack.user_id = unwind_user(ctx);
	if (bpf_map_update_elem(&memleak_blocks, &place, &block, BPF_ANY))
		count_lost(MEMLEAK_NO_BLOCK);
	return 0;
}

static __always_inline void forget(__u64 address)
{
	struct held_key place = offset_of(address);

	if (bpf_map_lookup_elem(&memleak_blocks, &place))
		bpf_map_delete_elem(&memleak_blocks, &place);
}

static __always_inline void allocated(void *ctx, __u64 address, __u64 bytes)
{
	if (memleak_config.wakeup_bytes)
		report(address, bytes, MEMLEAK_ALLOCATED);
	if (is_wanted(bytes))
		keep(ctx, address, bytes, 0);
	else /* we may have missed the free of an earlier block at this address */
		forget(address);
}

/* `kinds` maps the number of a site to its function's kind, BLOCK_FIRST ... */
static __always_inline __u32 kind_of(void *ctx, void *kinds)
{
	__u32 site = site_number(ctx), *kind = bpf_map_lookup_elem(kinds, &site);

	return kind ? *kind : BLOCK_FIRST;
}
