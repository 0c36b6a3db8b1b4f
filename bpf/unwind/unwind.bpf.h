/*
 * Walks user stacks of any code, with or without frame pointers.
 *
 * For each address in the code, .eh_frame has a rule for going from a frame to its caller's. All
 * these tables would be too much for the kernel, but only few return addresses occur on stacks, so
 * we learn the rules of those. A walk looks up the rule of each address in unwind_rules. If one is
 * missing, we send the registers and a copy of the stack to the frontend (stacks/unwinder.h). It
 * completes that stack with the tables of the files, so that no event lacks its stack, and puts the
 * rules that it needed into the map for the next walk. After some misses at a site (an address with
 * a probe), no rule is missing any more. Until then a program may reach the site very often,
 * especially if the frontend has to wait for a CPU. So while many misses are unread, a miss that
 * would get the same answer as an unread one gets its id, without another copy.
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
 * unwind_layouts has the processes whose rules may be used. When a process ends or executes another
 * program, the programs in bpf/unwind/unwind_processes.bpf.h, which the frontend attaches, delete
 * it from the map.
 *
 * We walk the frames of interpreters separately, by their lists
 * (bpf/unwind/unwind_interpreted.bpf.h). The frontend puts them in place of the C frames of the
 * interpreters' evaluation loops.
 */
#pragma once

#include "bpf/unwind/unwind_miss.bpf.h"

enum { UNWIND_NO_MEMORY = -12 /* -ENOMEM */ };

/*
 * Reports to the frontend that the stack `id` was stored, so that it reads the names of the stack's
 * frames while the process still has them.
 */
static __noinline int unwind_submit_kept(struct unwind_walk *walk, __u64 id)
{
	struct unwind_new_stack *kept;

	/* If much of the buffer is unread, leave the rest to misses, which need it more. */
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

/*
 * Stores a complete stack. Returns its id or, if the map is full, UNWIND_FULL or the id of a miss.
 * While interrupts are disabled, the kernel's allocator can run out of entries: that is a miss.
 */
static __always_inline __u64 unwind_keep(struct unwind_walk *walk, __u64 id, void *regs,
					 __u32 number, __u32 start)
{
	__u64 key = id | UNWIND_ID_INTERPRETED;
	long error = 0;

	walk->stack.ts_ns = bpf_ktime_get_ns();
	if (walk->stack.is_mixed)
		error = bpf_map_update_elem(&unwind_stacks, &key, &walk->interpreted, BPF_ANY);
	if (!error)
		error = bpf_map_update_elem(&unwind_stacks, &id, &walk->stack, BPF_ANY);
	if (!error) {
		if (walk->stack.is_mixed || walk->stack.jit)
			unwind_submit_kept(walk, id);
		return id;
	}
	if (unwind_config.copies_if_full || error == UNWIND_NO_MEMORY)
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

	walk->frame.pc &= UNWIND_ADDRESS;
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
	walk->frame.regs = (__u64)ctx;
	walk->frame.pc = regs[UNWIND_PC_WORD];
	walk->frame.bases[UNWIND_AT_SP] = regs[UNWIND_SP_WORD];
	walk->frame.bases[UNWIND_AT_FP] = regs[UNWIND_FP_WORD];
#if !defined(__TARGET_ARCH_x86)
	walk->frame.link = regs[UNWIND_LINK_WORD];
#endif
	return unwind_finish(walk, regs, number, UNWIND_AT_ENTRY);
}

/*
 * Walks from `regs`, the address in kernel memory of the current thread's user registers. Returns
 * UNWIND_NONE if the thread has no user stack.
 */
static __noinline __u64 unwind_by(void *regs)
{
	__u32 number;
	struct unwind_walk *walk = claim(&unwind_walks, UNWIND_WALKS, &number);

	if (!walk)
		return UNWIND_LOST;
	walk->frame.regs = (__u64)regs;
	if (!bpf_probe_read_kernel(&walk->frame.pc, sizeof(__u64), regs + UNWIND_PC_WORD * 8) &&
	    !bpf_probe_read_kernel(&walk->frame.bases[UNWIND_AT_SP], sizeof(__u64),
				   regs + UNWIND_SP_WORD * 8) &&
	    !bpf_probe_read_kernel(&walk->frame.bases[UNWIND_AT_FP], sizeof(__u64),
				   regs + UNWIND_FP_WORD * 8) &&
	    walk->frame.bases[UNWIND_AT_SP])
		return unwind_finish(walk, regs, number, UNWIND_INSIDE);
	claim_release(walk);
	return UNWIND_NONE;
}

/* Elsewhere in a program's function. */
static __always_inline __u64 unwind_inside(void *ctx)
{
	return unwind_by(ctx);
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
