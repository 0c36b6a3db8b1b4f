/*
 * The ring buffer's submit, with as few wakeups as can be.
 *
 * A wakeup costs the traced program 300 ns and more; so the reader is woken when a good part of the
 * buffer waits, and looks by itself every few milliseconds otherwise.
 */
#pragma once

static __always_inline void emit_submit(void *ring, void *record, __u64 wakeup_bytes)
{
	__u64 waiting = bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA);

	bpf_ringbuf_submit(record,
			   waiting >= wakeup_bytes ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP);
}
