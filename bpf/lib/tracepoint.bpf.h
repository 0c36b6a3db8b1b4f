/*
 * Reads fields of a tracepoint's record, in programs that a perf event attaches to it ("tp"). The
 * offset of a field may change from kernel to kernel: the frontend reads it from tracefs and passes
 * it to the program as a constant (proc::Tracepoint::offset_of()).
 *
 * We use a helper because the verifier refuses loads from the context at offsets that are not in
 * the instruction.
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
