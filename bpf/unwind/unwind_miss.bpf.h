/*
 * Sends what the frontend needs to complete a walk that lacks a rule: the registers and a copy of
 * the stack (bpf/unwind/unwind.bpf.h).
 */
#pragma once

#include "bpf/unwind/unwind_interpreted.bpf.h"
#include "bpf/unwind/unwind_processes.bpf.h"

/* Aligns an address to a chunk, so that no chunk is partly in an unreadable page. */
static __always_inline __u64 unwind_chunk_start(__u64 at)
{
	return at & ~(__u64)(UNWIND_CHUNK - 1);
}

/* Copies `bytes` in chunks; sets a bit in miss->copied, from `bit` on, for each readable chunk. */
static __always_inline void unwind_copy(struct unwind_miss *miss, __u8 *to, __u64 from,
					const __u32 bytes, const __u32 bit)
{
	for (__u32 at = 0; at < bytes; at += UNWIND_CHUNK) {
		long error = bpf_probe_read_user(to + at, UNWIND_CHUNK, (void *)(from + at));

		/* Sets the bit without a branch: 1 if there is no error, 0 for a negative error. */
		miss->copied |= (__u64)(1 + (error >> 63)) << (bit + at / UNWIND_CHUNK);
	}
}

/*
 * Submits a miss with a copy of `bytes` of the stack. The copy includes the red zone below `from`,
 * because unwinding tables may refer to popped registers, whose saved values are below the stack
 * pointer. Returns 0 if the buffer is full.
 */
static __always_inline int unwind_send(struct unwind_walk *walk, void *regs, __u64 id, __u32 start,
				       __u64 from, const __u32 bytes)
{
	const __u32 far_bytes = bytes == UNWIND_LARGE ? UNWIND_FARS * UNWIND_FAR : 0;
	struct unwind_miss *miss;
	__u8 *copy;
	__u64 ids;

	miss = bpf_ringbuf_reserve(&unwind_misses, sizeof(*miss) + bytes + far_bytes, 0);
	if (!miss)
		return 0;
	unwind_load_fp(walk);
	ids = ids_current(unwind_config.pidns_device, unwind_config.pidns_inode);
	miss->ts_ns = bpf_ktime_get_ns();
	miss->id = id;
	miss->tgid = bpf_get_current_pid_tgid() >> 32;
	miss->shown_tgid = ids >> 32;
	miss->layout = (walk->frame.layout & ~UNWIND_EXACT) >> UNWIND_LAYOUT_SHIFT;
	miss->is_exact = walk->frame.layout >> 63;
	miss->start = start;
	miss->pc = walk->frame.pc;
	miss->sp = walk->frame.bases[UNWIND_AT_SP];
	miss->fp = walk->frame.bases[UNWIND_AT_FP];
	from = unwind_chunk_start(from - UNWIND_RED_ZONE);
	miss->copy_at = from;
	miss->copy_bytes = bytes;
	miss->copied = 0;
	bpf_probe_read_kernel(miss->registers, UNWIND_REGS_BYTES, regs);
	bpf_probe_read_kernel(&miss->stack, sizeof(miss->stack), &walk->stack);
	miss->interpreted.count = 0;
	if (walk->stack.is_mixed)
		bpf_probe_read_kernel(&miss->interpreted, sizeof(miss->interpreted),
				      &walk->interpreted);
	copy = (__u8 *)(miss + 1);
	unwind_copy(miss, copy, from, bytes, 0);
	miss->far_at[0] = walk->copied.far_at[0];
	miss->far_at[1] = walk->copied.far_at[1];
	if (far_bytes) {
		unwind_copy(miss, copy + bytes, miss->far_at[0], UNWIND_FAR,
			    UNWIND_LARGE / UNWIND_CHUNK);
		unwind_copy(miss, copy + bytes + UNWIND_FAR, miss->far_at[1], UNWIND_FAR,
			    (UNWIND_LARGE + UNWIND_FAR) / UNWIND_CHUNK);
	}
	bpf_ringbuf_submit(miss, BPF_RB_FORCE_WAKEUP);
	return 1;
}

/*
 * Returns how many pages the stack has from `from` on, at most UNWIND_LARGE / UNWIND_PAGE. Pages in
 * large frames may be unreadable because nothing has been written to them yet, so we look beyond
 * them.
 */
static __always_inline __u32 unwind_extent(__u64 from)
{
	__u32 pages = 1;

	for (__u32 page = 1; page < UNWIND_LARGE / UNWIND_PAGE; page++) {
		__u64 word, at = (from & ~(__u64)(UNWIND_PAGE - 1)) + page * UNWIND_PAGE;

		if (!unwind_read(&word, at))
			pages = page + 1;
	}
	return pages;
}

/*
 * Go's runtime does not run on the stack of the goroutine that has called it. Follows the frame
 * pointers to the first one that is outside of the copy at `from`, and sets far_at[0] to an address
 * below it, or to 0.
 */
static __always_inline void unwind_find_frames(struct unwind_walk *walk, void *regs, __u64 from)
{
	__u64 *fp = &walk->copied.far_at[0], *next = &walk->copied.far_at[1];

	unwind_load_fp(walk);
	*fp = walk->frame.bases[UNWIND_AT_FP];
	/* If the copy contains the event's own frame, the frontend walks again from there. */
	if (from == walk->leaf)
		bpf_probe_read_kernel(fp, sizeof(*fp), regs + UNWIND_FP_WORD * 8);
	for (__u32 i = 0; i < UNWIND_FAR_FRAMES; i++) {
		if (unwind_read(next, *fp))
			break;
		if (*fp - from >= UNWIND_LARGE) {
			if (*next - *fp >= UNWIND_FAR_FRAME)
				break;
			/*
			 * The newest function on that stack may have no frame: its data is below
			 * this one.
			 */
			*fp = unwind_chunk_start(*fp - UNWIND_CHUNK);
			return;
		}
		*fp = *next;
	}
	*fp = 0;
}

/*
 * For a process with an interpreter: sets far_at[1] to the address of the thread's outermost
 * frames, or to 0 if they are unknown or below `copy_end`. C libraries put the thread's control
 * block above its stack, so the thread pointer shows where the stack begins. In Ruby, a frame of 1
 * MB, which contains the stack of its methods, separates the outermost frames from the copy.
 */
static __always_inline void unwind_find_thread(struct unwind_walk *walk, __u64 copy_end)
{
	__u32 index = walk->interpreted.interpreter;
	const struct unwind_interpreter *in = bpf_map_lookup_elem(&unwind_interpreters, &index);
	void *task = (void *)bpf_get_current_task();
	__u64 *at = &walk->copied.far_at[1];

	*at = 0;
	if (!in || !in->thread_ptr_at ||
	    bpf_probe_read_kernel(at, sizeof(*at), task + in->thread_ptr_at))
		return;
	*at = unwind_chunk_start(*at + UNWIND_CHUNK - 1) - UNWIND_FAR;
	if (*at + UNWIND_FAR - copy_end > UNWIND_THREAD)
		*at = 0;
}

/*
 * Returns 1 if `value` is negative, else 0. A comparison would become a branch, which the verifier
 * would follow again in each round of a loop; so callers multiply by this.
 */
static __always_inline __u64 unwind_is_negative(__u64 value)
{
	barrier_var(value);
	value >>= 63;
	barrier_var(value);
	return value;
}

/*
 * Adds a word to a hash if `is_used` is 1, not 0, and if the word may be an address of the stack or
 * of code: small numbers, such as loop counters, do not affect how a stack is walked.
 */
static __always_inline __u64 unwind_hash_next(__u64 hash, __u64 word, __u64 is_used)
{
	__u64 is_large = unwind_is_negative(-((word & UNWIND_ADDRESS) >> 16));
	__u64 next = UNWIND_CHECK_NEXT(hash, word * is_large);

	next ^= next >> 29;
	return hash ^ (hash ^ next) * is_used;
}

/*
 * Adds the chunk of the stack at `at` to a hash, without the words before `from`. If the chunk is
 * unreadable, inverts the hash.
 */
__noinline __u64 unwind_hash_chunk(__u32 number, __u64 at, __u64 from, __u64 hash)
{
	struct unwind_walk *walk = bpf_map_lookup_elem(&unwind_walks, &number);

	if (!walk || bpf_probe_read_user(walk->window, UNWIND_CHUNK, (void *)at))
		return ~hash;
	for (__u32 i = 0; i < UNWIND_CHUNK / 8; i++) {
		barrier_var(at); /* or the compiler counts from it, without a bound that is known */
		hash = unwind_hash_next(hash, walk->window[i & (UNWIND_WINDOW / 8 - 1)],
					1 - unwind_is_negative(at + i * 8 - from));
	}
	return hash;
}

/*
 * Adds the event's registers, which walk->window contains, to a hash. At a function's entry we add
 * only registers that point into the stack. They include the callee-saved registers from which the
 * caller is unwound.
 */
__noinline __u64 unwind_hash_registers(__u32 number, __u32 start, __u64 hash)
{
	struct unwind_walk *walk = bpf_map_lookup_elem(&unwind_walks, &number);
	__u64 all;

	if (!walk)
		return ~hash;
	all = start != UNWIND_AT_ENTRY;
	for (__u32 i = 0; i < UNWIND_REGS_BYTES / 8; i++) {
		__u64 word = walk->window[i & (UNWIND_WINDOW / 8 - 1)];
		__u64 distance = (word - walk->leaf) / UNWIND_THREAD;

		hash = unwind_hash_next(hash, word, all | (1 - unwind_is_negative(-distance)));
	}
	return hash;
}

/* Hashes the `bytes` of a stack that start at address `at`, except the words before `from`. */
static __always_inline __u64 unwind_hash_stack(__u32 number, __u64 at, __u32 bytes, __u64 from,
					       __u64 hash)
{
	for (__u32 chunk = 0; chunk < UNWIND_LARGE / UNWIND_CHUNK; chunk++) {
		if (chunk * UNWIND_CHUNK >= bytes)
			break;
		hash = unwind_hash_chunk(number, at + chunk * UNWIND_CHUNK, from, hash);
	}
	return hash;
}

/*
 * Returns where the copy of a stack begins: at the event's own frame if the walk ended near it,
 * else where it ended.
 */
static __always_inline __u64 unwind_copied_from(const struct unwind_walk *walk)
{
	__u64 end = walk->frame.bases[UNWIND_AT_SP];

	return end - walk->leaf < UNWIND_MEDIUM ? walk->leaf : end;
}

/*
 * Returns a hash of everything on which the answer to a miss depends, or 0 if the registers are
 * unreadable.
 */
static __noinline __u64 unwind_miss_hash(struct unwind_walk *walk, void *regs, __u32 number,
					 __u32 start)
{
	__u64 hash = UNWIND_CHECK_NEXT(walk->hash, unwind_mappings);
	__u64 from = unwind_copied_from(walk), hash_from = from;

	walk->window_end = 0;
	hash = UNWIND_CHECK_NEXT(hash, bpf_get_current_pid_tgid() >> 32 | (__u64)start << 32);
	hash = UNWIND_CHECK_NEXT(hash, walk->frame.pc ^ walk->frame.layout);
	hash = UNWIND_CHECK_NEXT(hash, walk->frame.bases[UNWIND_AT_SP]);
	hash = UNWIND_CHECK_NEXT(hash, walk->leaf);
	hash = UNWIND_CHECK_NEXT(hash, walk->stack.end);
	if (bpf_probe_read_kernel(walk->window, UNWIND_REGS_BYTES, regs))
		return 0;
	hash = unwind_hash_registers(number, start, hash);
	/* At a function's entry or return, nothing below the stack pointer is in use. */
	if (start != UNWIND_AT_ENTRY || from != walk->leaf)
		hash_from -= UNWIND_RED_ZONE;
	from = unwind_chunk_start(from - UNWIND_RED_ZONE);
	hash = unwind_hash_stack(number, from, walk->copied.bytes, hash_from, hash);
	for (__u32 i = 0; walk->copied.bytes == UNWIND_LARGE && i < UNWIND_FARS; i++) {
		hash = UNWIND_CHECK_NEXT(hash, walk->copied.far_at[i]);
		hash = unwind_hash_stack(number, walk->copied.far_at[i], UNWIND_FAR, 0, hash);
	}
	return hash;
}

/* Returns the id of a miss with this hash whose record is still unread, or 0. */
static __always_inline __u64 unwind_find_pending(__u64 hash)
{
	__u32 index = hash % UNWIND_PENDING_MISSES;
	struct unwind_pending_miss *sent = bpf_map_lookup_elem(&unwind_pending_miss, &index);
	__u64 id, at;

	if (!sent)
		return 0;
	id = *(volatile __u64 *)&sent->id;
	at = *(volatile __u64 *)&sent->at;
	if ((id ^ at ^ *(volatile __u64 *)&sent->check) != hash)
		return 0;
	return bpf_ringbuf_query(&unwind_misses, BPF_RB_CONS_POS) <= at ? id : 0;
}

static __always_inline void unwind_add_pending(__u64 hash, __u64 id, __u64 at)
{
	__u32 index = hash % UNWIND_PENDING_MISSES;
	struct unwind_pending_miss *sent = bpf_map_lookup_elem(&unwind_pending_miss, &index);

	if (!sent)
		return;
	*(volatile __u64 *)&sent->id = id;
	*(volatile __u64 *)&sent->at = at;
	*(volatile __u64 *)&sent->check = hash ^ id ^ at;
}

/* Decides how much of the stack to copy, and which distant parts. */
static __noinline void unwind_choose_copy(struct unwind_walk *walk, void *regs)
{
	__u64 from = unwind_copied_from(walk);

	walk->copied.bytes = unwind_extent(from - UNWIND_RED_ZONE) * UNWIND_PAGE;
	unwind_find_frames(walk, regs, from);
	unwind_find_thread(walk, from + walk->copied.bytes);
	if (walk->copied.far_at[0] || walk->copied.far_at[1])
		walk->copied.bytes = UNWIND_LARGE;
}

/* Submits a miss, with a smaller copy while many are unread. Returns its id, or UNWIND_LOST. */
static __noinline __u64 unwind_submit_miss(struct unwind_walk *walk, void *regs, __u32 number,
					   __u32 start)
{
	__u64 id = UNWIND_MISSED | (__u64)bpf_get_smp_processor_id() << 44 | (__u64)number << 40;
	__u64 unread = bpf_ringbuf_query(&unwind_misses, BPF_RB_AVAIL_DATA);
	__u64 at = bpf_ringbuf_query(&unwind_misses, BPF_RB_PROD_POS);
	__u64 free = unwind_config.miss_bytes - unread, from = unwind_copied_from(walk);
	__u32 bytes = walk->copied.bytes;
	int sent;

	walk->copied.next_id++;
	id |= walk->copied.next_id & ((1ULL << 40) - 1);
	if (free < unwind_config.miss_bytes / 4 && bytes > UNWIND_MEDIUM)
		bytes = UNWIND_MEDIUM;
	if (bytes <= UNWIND_SMALL || free < unwind_config.miss_bytes / 16)
		sent = unwind_send(walk, regs, id, start, from, UNWIND_SMALL);
	else if (bytes <= UNWIND_MEDIUM)
		sent = unwind_send(walk, regs, id, start, from, UNWIND_MEDIUM);
	else if (bytes <= UNWIND_MORE)
		sent = unwind_send(walk, regs, id, start, from, UNWIND_MORE);
	else
		sent = unwind_send(walk, regs, id, start, from, UNWIND_LARGE);
	if (sent && walk->copied.hash)
		unwind_add_pending(walk->copied.hash, id, at);
	return sent ? id : UNWIND_LOST;
}

/* Returns the id for a walk that lacks a rule, or whose stack found no room in unwind_stacks. */
static __always_inline __u64 unwind_miss(struct unwind_walk *walk, void *regs, __u32 number,
					 __u32 start)
{
	__u64 known = 0;

	unwind_choose_copy(walk, regs);
	walk->copied.hash = 0;
	if (bpf_ringbuf_query(&unwind_misses, BPF_RB_AVAIL_DATA) > unwind_config.miss_bytes / 16) {
		walk->copied.hash = unwind_miss_hash(walk, regs, number, start);
		known = unwind_find_pending(walk->copied.hash);
	}
	return known ? known : unwind_submit_miss(walk, regs, number, start);
}
