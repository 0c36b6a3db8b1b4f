/*
 * Submits records to the ring buffer with as few wakeups as possible.
 *
 * A wakeup costs the traced program 300 ns or more, some microseconds in a virtual machine. So we
 * wake the reader only when `wakeup_bytes` of the buffer are unread (kernel::wakeup_bytes());
 * otherwise the reader polls every few milliseconds. Once awake, it reads until less than that is
 * unread. So one wakeup when the unread bytes exceed `wakeup_bytes` is enough; later records need
 * none. A large reserved record may jump over the window in which we wake; then the reader's timer
 * finds it.
 */
#pragma once

static __always_inline __u64 emit_flags(void *ring, __u64 bytes, __u64 wakeup_bytes)
{
	__u64 waiting = bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA);
	__u64 above = waiting - wakeup_bytes, window = (wakeup_bytes >> 6) + 512 + bytes;

	return above < window ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

/* Submits a record that was reserved in the buffer. */
static __always_inline void emit_submit(void *ring, void *record, __u64 wakeup_bytes)
{
	bpf_ringbuf_submit(record, emit_flags(ring, 0, wakeup_bytes));
}

/* Copies a record into the buffer. Returns 0, or a negative error if the buffer is full. */
static __always_inline long emit_output(void *ring, void *record, __u64 bytes, __u64 wakeup_bytes)
{
	return bpf_ringbuf_output(ring, record, bytes, emit_flags(ring, bytes, wakeup_bytes));
}
