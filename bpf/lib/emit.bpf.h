/*
 * How all tools hand their records over, with as few wakeups as can be.
 *
 * A wakeup costs the traced program 300 ns and more, some microseconds in a virtual machine; so the
 * reader is woken when a good part of the buffer waits (attach::wakeup_bytes()), and looks by itself
 * every few milliseconds otherwise. Once awake it reads until less than that waits: so it is woken
 * where the waiting part passes the mark, not for each record while it is behind. A large record that
 * was reserved may jump over the place; the reader's timer is for that.
 */
#pragma once

static __always_inline __u64 emit_flags(void *ring, __u64 bytes, __u64 wakeup_bytes)
{
	__u64 waiting = bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA);
	__u64 above = waiting - wakeup_bytes, place = (wakeup_bytes >> 6) + 512 + bytes;

	return above < place ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

/* A record that was reserved in the buffer. */
static __always_inline void emit_submit(void *ring, void *record, __u64 wakeup_bytes)
{
	bpf_ringbuf_submit(record, emit_flags(ring, 0, wakeup_bytes));
}

/* A record that lies elsewhere. Not 0: there was no place for it. */
static __always_inline long emit_output(void *ring, void *record, __u64 bytes, __u64 wakeup_bytes)
{
	return bpf_ringbuf_output(ring, record, bytes, emit_flags(ring, bytes, wakeup_bytes));
}
