/*
 * Walks user stacks of any code, with or without frame pointers.
 *
 * For each address in the code, .eh_frame has a rule for going from a frame to its caller's. All
 * these tables would be too much for the kernel, but only few return addresses occur on stacks, so
 * we learn the rules of those. A walk looks up the rule of each address in unwind_rules. If one is
 * missing, we send the registers and a copy of the stack to the frontend (stacks/unwinder.h). It
 * completes that stack with the tables of the files, so that no event lacks its stack, and puts the
 * rules that it needed into the map for the next walk. After some misses at a site, no rule is
 * missing any more. Until then a program may reach the site very often, especially if the frontend
 * has to wait for a CPU. So while many misses are unread, a miss that would get the same answer as
 * an unread one gets its id, without another copy.
 *
 * A tool calls one of these functions for the id of the current user stack (bpf/unwind/unwind.h).
 * It uses the id like any number, for example in keys; the frontend translates ids to addresses:
 *
 *	unwind_at_entry(ctx)     at the first or the return instruction of a program's function
 *	unwind_inside(ctx)       elsewhere in a program
 *	unwind_from_kernel()     in the kernel
 *
 * or, in the C functions that generated programs call, unwind_user()
 * (bpf/unwind/unwind_site.bpf.h).
 *
 * unwind_layouts has the known processes; the programs at the end of this file, which the frontend
 * attaches, delete a process in time.
 *
 * We walk the frames of interpreters separately, by their lists
 * (bpf/unwind/unwind_interpreted.bpf.h). The frontend puts them in place of the C frames of the
 * interpreters' evaluation loops.
 */
#pragma once

#include "bpf/lib/tracepoint.bpf.h"
#include "bpf/unwind/unwind_interpreted.bpf.h"
#include "bpf/unwind/unwind_walk.bpf.h"

#define UNWIND_CLONE_THREAD 0x10000

/* Aligns an address to a chunk, so that no chunk is partly in an unreadable page. */
static __always_inline __u64 unwind_chunk(__u64 at)
{
	return at & ~(__u64)(UNWIND_CHUNK - 1);
}

/* Copies `bytes` in chunks; sets a bit in miss->copied, from `bit` on, for each readable chunk. */
static __always_inline void unwind_copy(struct unwind_miss *miss, __u8 *to, __u64 from,
					const __u32 bytes, const __u32 bit)
{
	for (__u32 at = 0; at < bytes; at += UNWIND_CHUNK) {
		long error = bpf_probe_read_user(to + at, UNWIND_CHUNK, (void *)(from + at));

		/* Without a branch: adds 1 for no error, 0 for a negative error. */
		miss->copied |= (__u64)(1 + (error >> 63)) << (bit + at / UNWIND_CHUNK);
	}
}

/*
 * Submits a miss with `bytes` of the stack from `from`, and of the red zone below. Unwinding tables
 * may refer to registers that were popped, which are saved below the stack pointer. Returns 0 if
 * the buffer is full.
 */
static __always_inline int unwind_send(struct unwind_walk *walk, void *regs, __u64 id, __u32 start,
				       __u64 from, const __u32 bytes)
{
	const __u32 far = bytes == UNWIND_LARGE ? UNWIND_FARS * UNWIND_FAR : 0;
	struct unwind_miss *miss;
	__u8 *copy;
	__u64 ids;

	miss = bpf_ringbuf_reserve(&unwind_misses, sizeof(*miss) + bytes + far, 0);
	if (!miss)
		return 0;
	unwind_load_fp(walk);
	ids = ids_current(unwind_config.pidns_device, unwind_config.pidns_inode);
	miss->ts_ns = bpf_ktime_get_ns();
	miss->id = id;
	miss->tgid = bpf_get_current_pid_tgid() >> 32;
	miss->shown_tgid = ids >> 32;
	miss->layout = (walk->layout & ~UNWIND_EXACT) >> UNWIND_LAYOUT_SHIFT;
	miss->is_exact = walk->layout >> 63;
	miss->start = start;
	miss->pc = walk->pc;
	miss->sp = walk->bases[UNWIND_AT_SP];
	miss->fp = walk->bases[UNWIND_AT_FP];
	from = unwind_chunk(from - UNWIND_RED_ZONE);
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
	miss->far_at[0] = walk->read[0];
	miss->far_at[1] = walk->read[1];
	if (far) {
		unwind_copy(miss, copy + bytes, miss->far_at[0], UNWIND_FAR,
			    UNWIND_LARGE / UNWIND_CHUNK);
		unwind_copy(miss, copy + bytes + UNWIND_FAR, miss->far_at[1], UNWIND_FAR,
			    (UNWIND_LARGE + UNWIND_FAR) / UNWIND_CHUNK);
	}
	bpf_ringbuf_submit(miss, BPF_RB_FORCE_WAKEUP);
	return 1;
}

/*
 * Returns how many pages of stack there are from `from` on, at most UNWIND_LARGE. Pages in large
 * frames may be unreadable because nothing has been written to them yet, so we look beyond them.
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
 * Sets read[0] to the address outside of a copy at `from` to which frame pointers lead, or to 0:
 * Go's runtime works on another stack than the goroutine that has called it.
 */
static __always_inline void unwind_find_frames(struct unwind_walk *walk, void *regs, __u64 from)
{
	__u64 *fp = &walk->read[0], *next = &walk->read[1];

	unwind_load_fp(walk);
	*fp = walk->bases[UNWIND_AT_FP];
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
			 * A function without a frame may have been interrupted: its stack is below.
			 */
			*fp = unwind_chunk(*fp - UNWIND_CHUNK);
			return;
		}
		*fp = *next;
	}
	*fp = 0;
}

/*
 * For a process with an interpreter: sets read[1] to the address of a thread's outermost frames if
 * they are after `copied`, or to 0 if that is not known. C libraries put the thread's control block
 * above its stack, so the thread pointer shows where the stack begins. Ruby has the stack of its
 * methods in a frame of 1 MB in between.
 */
static __always_inline void unwind_find_thread(struct unwind_walk *walk, __u64 copied)
{
	__u32 index = walk->interpreted.interpreter;
	const struct unwind_interpreter *in = bpf_map_lookup_elem(&unwind_interpreters, &index);
	void *task = (void *)bpf_get_current_task();

	walk->read[1] = 0;
	if (!in || !in->thread_ptr_at ||
	    bpf_probe_read_kernel(&walk->read[1], sizeof(__u64), task + in->thread_ptr_at))
		return;
	walk->read[1] = unwind_chunk(walk->read[1] + UNWIND_CHUNK - 1) - UNWIND_FAR;
	if (walk->read[1] + UNWIND_FAR - copied > UNWIND_THREAD)
		walk->read[1] = 0;
}

/*
 * Adds a word to a hash if it may be an address of the stack or of code: small numbers, such as
 * loop counters, do not affect how a stack is walked.
 */
static __always_inline __u64 unwind_hash_next(__u64 hash, __u64 word)
{
	hash = UNWIND_CHECK_NEXT(hash, (word & UNWIND_ADDRESS) >> 16 ? word : 0);
	return hash ^ hash >> 29;
}

/*
 * Adds a chunk of the stack, from address `from` on. An unreadable chunk changes the hash in its
 * own way.
 */
__noinline __u64 unwind_hash_chunk(__u32 number, __u64 at, __u64 from, __u64 hash)
{
	struct unwind_walk *walk = bpf_map_lookup_elem(&unwind_walks, &number);

	if (!walk || bpf_probe_read_user(walk->window, UNWIND_CHUNK, (void *)at))
		return ~hash;
	for (__u32 i = 0; i < UNWIND_CHUNK / 8; i++)
		if (at + i * 8 >= from)
			hash = unwind_hash_next(hash, walk->window[i & (UNWIND_WINDOW / 8 - 1)]);
	return hash;
}

/*
 * Adds the event's registers. At a function's entry we add only registers that point into the
 * stack: among them are the callee-saved ones from which the caller is unwound.
 */
__noinline __u64 unwind_hash_registers(__u32 number, __u32 start, __u64 hash)
{
	struct unwind_walk *walk = bpf_map_lookup_elem(&unwind_walks, &number);

	if (!walk)
		return ~hash;
	for (__u32 i = 0; i < UNWIND_REGS_BYTES / 8; i++) {
		__u64 word = walk->window[i & (UNWIND_WINDOW / 8 - 1)];

		if (start != UNWIND_AT_ENTRY || word - walk->leaf < UNWIND_THREAD)
			hash = unwind_hash_next(hash, word);
	}
	return hash;
}

/* Adds the chunks of a stack from address `at` on. */
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
 * Counts the programs that processes have executed and the libraries that they have mapped, because
 * both change the meaning of addresses.
 */
__u64 unwind_mappings = 0;

/*
 * Returns where the copy of a stack begins: at the event's own frame if the walk ended near it,
 * else where it ended.
 */
static __always_inline __u64 unwind_copied_from(const struct unwind_walk *walk)
{
	__u64 end = walk->bases[UNWIND_AT_SP];

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
	__u64 from = unwind_copied_from(walk), first = from;

	walk->window_end = 0;
	hash = UNWIND_CHECK_NEXT(hash, bpf_get_current_pid_tgid() >> 32 | (__u64)start << 32);
	hash = UNWIND_CHECK_NEXT(hash, walk->pc ^ walk->layout);
	hash = UNWIND_CHECK_NEXT(hash, walk->bases[UNWIND_AT_SP]);
	hash = UNWIND_CHECK_NEXT(hash, walk->leaf);
	hash = UNWIND_CHECK_NEXT(hash, walk->stack.end);
	if (bpf_probe_read_kernel(walk->window, UNWIND_REGS_BYTES, regs))
		return 0;
	hash = unwind_hash_registers(number, start, hash);
	/* At a function's entry or return, nothing below the stack pointer is in use. */
	if (start != UNWIND_AT_ENTRY || from != walk->leaf)
		first -= UNWIND_RED_ZONE;
	from = unwind_chunk(from - UNWIND_RED_ZONE);
	hash = unwind_hash_stack(number, from, walk->copy_bytes, first, hash);
	for (__u32 i = 0; walk->copy_bytes == UNWIND_LARGE && i < UNWIND_FARS; i++) {
		hash = UNWIND_CHECK_NEXT(hash, walk->read[i]);
		hash = unwind_hash_stack(number, walk->read[i], UNWIND_FAR, 0, hash);
	}
	return hash;
}

/* Returns the id of a miss with this hash whose record is still unread, or 0. */
static __always_inline __u64 unwind_waiting(__u64 hash)
{
	__u32 index = hash % UNWIND_SENT;
	struct unwind_sent *sent = bpf_map_lookup_elem(&unwind_sent, &index);
	__u64 id, at;

	if (!sent)
		return 0;
	id = *(volatile __u64 *)&sent->id;
	at = *(volatile __u64 *)&sent->at;
	if ((id ^ at ^ *(volatile __u64 *)&sent->check) != hash)
		return 0;
	return bpf_ringbuf_query(&unwind_misses, BPF_RB_CONS_POS) <= at ? id : 0;
}

static __always_inline void unwind_note_waiting(__u64 hash, __u64 id, __u64 at)
{
	__u32 index = hash % UNWIND_SENT;
	struct unwind_sent *sent = bpf_map_lookup_elem(&unwind_sent, &index);

	if (!sent)
		return;
	*(volatile __u64 *)&sent->id = id;
	*(volatile __u64 *)&sent->at = at;
	*(volatile __u64 *)&sent->check = hash ^ id ^ at;
}

/* Decides how much of the stack to copy, and which distant parts. */
static __noinline void unwind_measure(struct unwind_walk *walk, void *regs)
{
	__u64 from = unwind_copied_from(walk);

	walk->copy_bytes = unwind_extent(from - UNWIND_RED_ZONE) * UNWIND_PAGE;
	unwind_find_frames(walk, regs, from);
	unwind_find_thread(walk, from + walk->copy_bytes);
	if (walk->read[0] || walk->read[1])
		walk->copy_bytes = UNWIND_LARGE;
}

/* Submits a miss, with a smaller copy while many are unread. Returns its id, or UNWIND_LOST. */
static __noinline __u64 unwind_submit_miss(struct unwind_walk *walk, void *regs, __u32 number,
					   __u32 start)
{
	__u64 id = UNWIND_MISSED | (__u64)bpf_get_smp_processor_id() << 44 | (__u64)number << 40;
	__u64 waiting = bpf_ringbuf_query(&unwind_misses, BPF_RB_AVAIL_DATA);
	__u64 at = bpf_ringbuf_query(&unwind_misses, BPF_RB_PROD_POS);
	__u64 free = unwind_config.miss_bytes - waiting, from = unwind_copied_from(walk);
	__u32 bytes = walk->copy_bytes;
	int sent;

	walk->next_miss_id++;
	id |= walk->next_miss_id & ((1ULL << 40) - 1);
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
	if (sent && walk->miss_hash)
		unwind_note_waiting(walk->miss_hash, id, at);
	return sent ? id : UNWIND_LOST;
}

/* Returns the id for a walk that lacks a rule, or whose stack found no room in unwind_stacks. */
static __always_inline __u64 unwind_miss(struct unwind_walk *walk, void *regs, __u32 number,
					 __u32 start)
{
	__u64 known = 0;

	unwind_measure(walk, regs);
	walk->miss_hash = 0;
	if (bpf_ringbuf_query(&unwind_misses, BPF_RB_AVAIL_DATA) > unwind_config.miss_bytes / 16) {
		walk->miss_hash = unwind_miss_hash(walk, regs, number, start);
		known = unwind_waiting(walk->miss_hash);
	}
	return known ? known : unwind_submit_miss(walk, regs, number, start);
}

/*
 * Reports that the stack `id` is kept now, so that the frontend reads its names while the process
 * has them.
 */
static __noinline int unwind_submit_kept(struct unwind_walk *walk, __u64 id)
{
	struct unwind_kept *kept;

	/* Leave the space to misses, which need it more. */
	if (bpf_ringbuf_query(&unwind_misses, BPF_RB_AVAIL_DATA) > unwind_config.miss_bytes / 16)
		return 0;
	kept = bpf_ringbuf_reserve(&unwind_misses, sizeof(*kept), 0);
	if (!kept)
		return 0;
	kept->ts_ns = bpf_ktime_get_ns();
	kept->id = id;
	kept->tgid = walk->interpreted.tgid;
	bpf_probe_read_kernel(&kept->interpreted, sizeof(kept->interpreted), &walk->interpreted);
	bpf_probe_read_kernel(&kept->stack, sizeof(kept->stack), &walk->stack);
	bpf_ringbuf_submit(kept, BPF_RB_FORCE_WAKEUP);
	return 0;
}

/* Stores a complete stack and returns its id. */
static __always_inline __u64 unwind_keep(struct unwind_walk *walk, __u64 id, void *regs,
					 __u32 number, __u32 start)
{
	__u64 key = id | UNWIND_ID_INTERPRETED;

	walk->stack.ts_ns = bpf_ktime_get_ns();
	if (!(walk->stack.is_mixed &&
	      bpf_map_update_elem(&unwind_stacks, &key, &walk->interpreted, BPF_ANY)) &&
	    !bpf_map_update_elem(&unwind_stacks, &id, &walk->stack, BPF_ANY)) {
		if (walk->stack.is_mixed || walk->stack.made)
			unwind_submit_kept(walk, id);
		return id;
	}
	if (unwind_config.copies_if_full)
		return unwind_miss(walk, regs, number, start);
	return UNWIND_FULL;
}

/*
 * If the event's own frame is the JVM's interpreter, takes the position from a register: the
 * interpreter writes it to memory only before calls.
 */
static __always_inline void unwind_jit_leaf(struct unwind_walk *walk, void *regs)
{
#if defined(__TARGET_ARCH_x86)
	__u64 bytecode;

	if (!walk->interpreted.count || walk->interpreted.checks[0] ||
	    bpf_probe_read_kernel(&bytecode, sizeof(bytecode), regs + UNWIND_BYTECODE_WORD * 8))
		return;
	walk->hash = UNWIND_CHECK_NEXT(walk->hash, bytecode);
	walk->interpreted.frames[0] &= ~(UNWIND_FRAME_NOWHERE << 1);
	walk->interpreted.frames[0] |= (bytecode & UNWIND_FRAME_NOWHERE) << 1;
#endif
}

static __always_inline __u64 unwind_finish(struct unwind_walk *walk, void *regs, __u32 number,
					   __u32 start)
{
	__u64 id;

	walk->pc &= UNWIND_ADDRESS;
	unwind_walk_up(walk, number, start);
	if (walk->interpreted.interpreter)
		unwind_interpreted(walk, number, regs);
	else
		unwind_jit_leaf(walk, regs);
	walk->stack.is_mixed = walk->interpreted.count > 0;
	id = (walk->hash ^ walk->stack.end) & ~(UNWIND_MISSED | UNWIND_ID_INTERPRETED);
	if (id < UNWIND_FIRST_HASH)
		id += UNWIND_FIRST_HASH;
	if (walk->stack.end == UNWIND_MISS || !bpf_map_lookup_elem(&unwind_stacks, &id)) {
		walk->interpreted.tgid =
			ids_current(unwind_config.pidns_device, unwind_config.pidns_inode) >> 32;
		if (walk->stack.is_mixed)
			unwind_name_all(number);
		id = walk->stack.end == UNWIND_MISS ? unwind_miss(walk, regs, number, start)
						    : unwind_keep(walk, id, regs, number, start);
	}
	claim_release(walk);
	return id;
}

/*
 * At the first or the return instruction of a program's function. Only for uprobes, whose context
 * is registers.
 */
static __noinline __attribute__((unused)) __u64 unwind_at_entry(void *ctx)
{
	__u64 *regs = ctx;
	__u32 number;
	struct unwind_walk *walk = claim(&unwind_walks, UNWIND_WALKS, &number);

	if (!walk)
		return UNWIND_LOST;
	walk->regs = (__u64)ctx;
	walk->pc = regs[UNWIND_PC_WORD];
	walk->bases[UNWIND_AT_SP] = regs[UNWIND_SP_WORD];
	walk->bases[UNWIND_AT_FP] = regs[UNWIND_FP_WORD];
#if !defined(__TARGET_ARCH_x86)
	walk->link = regs[UNWIND_LINK_WORD];
#endif
	return unwind_finish(walk, regs, number, UNWIND_AT_ENTRY);
}

/*
 * `regs` are the current thread's registers in user space, in kernel memory. Returns UNWIND_NONE if
 * it has no user stack.
 */
static __noinline __u64 unwind_by(void *regs)
{
	__u32 number;
	struct unwind_walk *walk = claim(&unwind_walks, UNWIND_WALKS, &number);

	if (!walk)
		return UNWIND_LOST;
	walk->regs = (__u64)regs;
	if (!bpf_probe_read_kernel(&walk->pc, sizeof(__u64), regs + UNWIND_PC_WORD * 8) &&
	    !bpf_probe_read_kernel(&walk->bases[UNWIND_AT_SP], sizeof(__u64),
				   regs + UNWIND_SP_WORD * 8) &&
	    !bpf_probe_read_kernel(&walk->bases[UNWIND_AT_FP], sizeof(__u64),
				   regs + UNWIND_FP_WORD * 8) &&
	    walk->bases[UNWIND_AT_SP])
		return unwind_finish(walk, regs, number, UNWIND_INSIDE);
	claim_release(walk);
	return UNWIND_NONE;
}

/* Elsewhere in a program's function. */
static __always_inline __u64 unwind_inside(void *ctx)
{
	return unwind_by(ctx);
}

/*
 * Returns where the kernel saved the registers with which the current thread entered the kernel, or
 * NULL.
 */
static __always_inline void *unwind_saved_registers(void)
{
	__u64 stack;
	void *task;

	if (unwind_config.has_task_pt_regs)
		return (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	task = (void *)bpf_get_current_task();
	if (!unwind_config.task_stack_at ||
	    bpf_probe_read_kernel(&stack, sizeof(stack), task + unwind_config.task_stack_at))
		return NULL;
	return (void *)(stack + UNWIND_KERNEL_STACK_BYTES - sizeof(struct pt_regs));
}

/* In the kernel: tracepoints, functions, samples. */
static __always_inline __u64 unwind_from_kernel(void)
{
	return unwind_by(unwind_saved_registers());
}

/* Returns whether the current thread is a kernel thread, which has no user stack. */
static __always_inline bool unwind_is_kernel_thread(void)
{
	void *regs = unwind_saved_registers();
	__u64 sp = 0;

	return bpf_probe_read_kernel(&sp, sizeof(sp), regs + UNWIND_SP_WORD * 8) || !sp;
}

/*
 * A forked process has its parent's layout. A process that calls execve() gets another one, and we
 * delete the entry of one that has ended.
 */
SEC("?tp/task/task_newtask")
int unwind_fork(void *ctx)
{
	__u32 parent = bpf_get_current_pid_tgid() >> 32;
	__u32 child = tracepoint_u32(ctx, unwind_config.child_at);
	__u64 *layout, *mapped_ns;

	if (tracepoint_u64(ctx, unwind_config.flags_at) & UNWIND_CLONE_THREAD)
		return 0;
	layout = bpf_map_lookup_elem(&unwind_layouts, &parent);
	mapped_ns = bpf_map_lookup_elem(&unwind_mapped, &parent);
	if (mapped_ns)
		bpf_map_update_elem(&unwind_mapped, &child, mapped_ns, BPF_ANY);
	if (layout)
		bpf_map_update_elem(&unwind_layouts, &child, layout, BPF_ANY);
	return 0;
}

SEC("?tp/sched/sched_process_exec")
int unwind_exec(void *ctx)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;

	__sync_fetch_and_add(&unwind_mappings, 1);
	bpf_map_delete_elem(&unwind_layouts, &tgid);
	bpf_map_delete_elem(&unwind_mapped, &tgid);
	return 0;
}

SEC("?tp/sched/sched_process_free")
int unwind_free(void *ctx)
{
	__u32 ended = tracepoint_u32(ctx, unwind_config.freed_at);

	bpf_map_delete_elem(&unwind_layouts, &ended);
	bpf_map_delete_elem(&unwind_mapped, &ended);
	return 0;
}

/*
 * Returns whether the thread is in an mmap() that maps a library. That is: a file to be executed;
 * or a file as glibc's loader maps it first (MAP_DENYWRITE; musl's loader never unmaps a library);
 * or a reservation in which a library is aligned. We must not count mappings of data, stacks,
 * arenas or the memory of runtimes: each counted mapping makes all later stacks of the process new
 * ones.
 */
static __always_inline int unwind_maps_file(void)
{
#if defined(__TARGET_ARCH_x86)
	enum { call_at = 15, mmap = 9, protection_at = 12, flags_at = 7 };
#else
	enum { call_at = 8, mmap = 222, protection_at = 2, flags_at = 3 };
#endif
	enum {
		executable = 4,
		anonymous = 0x20,
		deny_write = 0x800,
		not_reserved = 0x4000,
		stack = 0x20000
	};
	__u64 *regs = unwind_saved_registers(), call, protection, flags;

	if (!regs || bpf_probe_read_kernel(&call, sizeof(call), &regs[call_at]) || call != mmap ||
	    bpf_probe_read_kernel(&protection, sizeof(protection), &regs[protection_at]) ||
	    bpf_probe_read_kernel(&flags, sizeof(flags), &regs[flags_at]))
		return 0;
	if (flags & anonymous)
		return !protection && !(flags & (not_reserved | stack));
	return (flags & deny_write) || (protection & executable);
}

/*
 * The kernel looks for free addresses for a mapping. Perf events also report the mapping, but only
 * later.
 */
SEC("?tp/mmap/vm_unmapped_area")
int unwind_map(void *ctx)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;
	__u64 now_ns = bpf_ktime_get_ns();

	if (!unwind_maps_file())
		return 0;
	__sync_fetch_and_add(&unwind_mappings, 1);
	if (bpf_map_lookup_elem(&unwind_layouts, &tgid))
		bpf_map_update_elem(&unwind_mapped, &tgid, &now_ns, BPF_ANY);
	return 0;
}
