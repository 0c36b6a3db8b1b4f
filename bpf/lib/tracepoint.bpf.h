/*
 * Fields of a tracepoint's record, in programs that are attached to it by a perf event ("tp"). Where
 * a field is may change from kernel to kernel: the frontend reads it from tracefs, and gives it to the
 * program as a constant (proc::Tracepoint::place_of()).
 *
 * By a helper, as verifiers refuse to load from the context at a place that is not in the instruction.
 */
#pragma once

static __always_inline __u32 tracepoint_u32(void *ctx, __u32 at)
{
	__u32 value = 0;

	bpf_probe_read_kernel(&value, sizeof(value), ctx + at);
	return value;
}

static __always_inline __u64 tracepoint_u64(void *ctx, __u32 at)
{
	__u64 value = 0;

	bpf_probe_read_kernel(&value, sizeof(value), ctx + at);
	return value;
}
