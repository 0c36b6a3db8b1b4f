/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * killsnoop: which process sends which signal to which process, and with what result.
 *
 * We store a call when it begins. While it runs, signal:signal_generate fires in the same thread
 * for each process for which the kernel generates the signal: once for kill(PID), several times for
 * a group, never if the call fails or the signal is 0. When the call ends, we submit what we have
 * gathered. So the receiver comes from the kernel, even if the call names a pidfd, a group, or a
 * process id of a container.
 */
#include "bpf/lib/bpf.h"
#include "bpf/killsnoop.h"
#include "bpf/lib/emit.bpf.h"
#include "bpf/lib/filter.bpf.h"
#include "bpf/lib/tracepoint.bpf.h"

const volatile struct killsnoop_config killsnoop_config = {};
const volatile struct killsnoop_layout killsnoop_layout = {};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} killsnoop_events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, KILLSNOOP_LOST);
	__type(key, __u32);
	__type(value, __u64);
} killsnoop_lost SEC(".maps");

/*
 * Calls under way, by thread. None of these calls sleeps, so hardly more of them are under way than
 * there are CPUs.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, struct killsnoop_event);
} killsnoop_calls SEC(".maps");

static __always_inline void count_lost(__u32 why)
{
	__u64 *lost = bpf_map_lookup_elem(&killsnoop_lost, &why);

	if (lost)
		__sync_fetch_and_add(lost, 1);
}

static __always_inline int wanted_signal(__s32 signal)
{
	__u32 index = signal;

	if (!killsnoop_config.some_signals)
		return 1;
	return index < KILLSNOOP_SIGNALS && killsnoop_config.signals[index];
}

static __always_inline void send(const struct killsnoop_event *from)
{
	struct killsnoop_event *event = bpf_ringbuf_reserve(&killsnoop_events, sizeof(*event), 0);

	if (!event) {
		count_lost(KILLSNOOP_BUFFER_FULL);
		return;
	}
	__builtin_memcpy(event, from, sizeof(*event));
	event->ts_ns = bpf_ktime_get_ns();
	event->uid = bpf_get_current_uid_gid();
	bpf_get_current_comm(event->comm, sizeof(event->comm));
	emit_submit(&killsnoop_events, event, killsnoop_config.wakeup_bytes);
}

/* Returns whether the sender's pid namespace differs from the tool's. */
static __always_inline int is_elsewhere(void)
{
	struct bpf_pidns_info ids;

	return bpf_get_ns_current_pid_tgid(killsnoop_config.pidns_device,
					   killsnoop_config.pidns_inode, &ids, sizeof(ids)) != 0;
}

static __always_inline int enter(__s32 call, __s32 target, __s32 thread, __s32 pidfd, __s32 signal)
{
	__u64 ids = filter_ids();
	__u32 key = bpf_get_current_pid_tgid();
	struct killsnoop_event event = {
		.tgid = ids >> 32,
		.tid = ids,
		.call = call,
		.signal = signal,
		.target = target,
		.target_thread = thread,
		.pidfd = pidfd,
		.is_elsewhere = is_elsewhere(),
	};

	if (!wanted_signal(signal) || !filter_passes(ids))
		return 0;
	if (bpf_map_update_elem(&killsnoop_calls, &key, &event, BPF_ANY))
		count_lost(KILLSNOOP_CALLS_FULL);
	return 0;
}

/* kill(pid, sig), tkill(tid, sig), rt_sigqueueinfo(pid, sig, …) */
SEC("tp")
int killsnoop_enter(struct trace_event_raw_sys_enter *ctx)
{
	return enter(ctx->id, ctx->args[0], 0, -1, ctx->args[1]);
}

/* pidfd_send_signal(fd, sig, …) */
SEC("tp")
int killsnoop_enter_pidfd(struct trace_event_raw_sys_enter *ctx)
{
	return enter(ctx->id, 0, 0, ctx->args[0], ctx->args[1]);
}

/* tgkill(tgid, tid, sig), rt_tgsigqueueinfo(tgid, tid, sig, …) */
SEC("tp")
int killsnoop_enter_thread(struct trace_event_raw_sys_enter *ctx)
{
	return enter(ctx->id, ctx->args[0], ctx->args[1], -1, ctx->args[2]);
}

SEC("tp")
int killsnoop_exit(struct trace_event_raw_sys_exit *ctx)
{
	__u32 key = bpf_get_current_pid_tgid();
	struct killsnoop_event *event = bpf_map_lookup_elem(&killsnoop_calls, &key);
	__s32 target = killsnoop_config.target;

	if (!event)
		return 0;
	event->result = ctx->ret;
	if (!(killsnoop_config.failed_only && event->result >= 0) &&
	    (!target || event->hit_target ||
	     (!event->is_elsewhere && (event->target == target || event->target_thread == target))))
		send(event);
	bpf_map_delete_elem(&killsnoop_calls, &key);
	return 0;
}

enum { /* the tracepoint's result: include/trace/events/signal.h */
       SIGNAL_IGNORED = 1,
       SIGNAL_OVERFLOW = 3,
};
#define KILLSNOOP_SI_TIMER -2
#define KILLSNOOP_EAGAIN 11

static __always_inline void receive(struct killsnoop_event *event, void *ctx, __s32 result)
{
	/*
	 * The tracepoint has the receiver's id in the initial pid namespace, which means nothing in
	 * another one.
	 */
	__s32 receiver = filter_config.pidns_inode ? 0 : tracepoint_u32(ctx, killsnoop_layout.pid);

	event->receivers++;
	event->taken += result != SIGNAL_IGNORED && result != SIGNAL_OVERFLOW;
	if (receiver == killsnoop_config.target)
		event->hit_target = 1;
	if (event->receivers > 1)
		return;
	event->code = tracepoint_u32(ctx, killsnoop_layout.code);
	event->receiver = receiver;
	bpf_probe_read_kernel(event->receiver_comm, sizeof(event->receiver_comm),
			      ctx + killsnoop_layout.comm);
}

SEC("tp")
int killsnoop_generate(void *ctx)
{
	__s32 signal = tracepoint_u32(ctx, killsnoop_layout.signal);
	__s32 code = tracepoint_u32(ctx, killsnoop_layout.code);
	__s32 result = tracepoint_u32(ctx, killsnoop_layout.result);
	__u32 key = bpf_get_current_pid_tgid();
	struct killsnoop_event *call = bpf_map_lookup_elem(&killsnoop_calls, &key);
	struct killsnoop_event event = {};
	__u64 ids;

	/*
	 * A signal with another code was not sent by the call: a timer or a device has interrupted
	 * it.
	 */
	if (call && call->signal == signal && code <= 0 && code != KILLSNOOP_SI_TIMER) {
		receive(call, ctx, result);
		return 0;
	}
	if (!killsnoop_config.kernel || !wanted_signal(signal))
		return 0;
	if (killsnoop_config.failed_only && result != SIGNAL_OVERFLOW)
		return 0;

	ids = filter_ids();
	if (!filter_passes(ids))
		return 0;
	event.tgid = ids >> 32;
	event.tid = ids;
	event.call = KILLSNOOP_KERNEL;
	event.signal = signal;
	event.result = result == SIGNAL_OVERFLOW ? -KILLSNOOP_EAGAIN : 0;
	receive(&event, ctx, result);
	if (killsnoop_config.target && !event.hit_target)
		return 0;
	send(&event);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
