/* Finds the number of the site that a program runs at: see bpf/lib/site.h. */
#pragma once

#include "bpf/lib/bpf.h"
#include <bpf/bpf_tracing.h>

#include "bpf/lib/site.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by the frontend */
	__type(key, __u32);
	__type(value, __u32);
} site_table SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by the frontend */
	__type(key, __u32);
	__type(value, struct site_exit);
} site_exits SEC(".maps");

/*
 * Returns the program's constant. The verifier deletes the branches that are not taken for this
 * constant.
 */
static __always_inline __u64 site_constant(void)
{
	__u64 constant;

	asm volatile("%0 = %1 ll" : "=r"(constant) : "i"(SITE_PLACEHOLDER));
	return constant;
}

static __always_inline __u64 site_address(void *ctx)
{
#ifdef __TARGET_ARCH_x86
	return ((struct pt_regs *)ctx)->ip;
#else
	return ((struct user_pt_regs *)ctx)->pc;
#endif
}

static __always_inline bool site_is_exit(void)
{
	return site_constant() & SITE_AT_EXIT;
}

static __always_inline bool site_is_in_kernel(void)
{
	return site_constant() & SITE_IN_KERNEL;
}

/*
 * Returns whether the return address is where a call puts it: at first and return instructions, but
 * not at branches before these.
 */
static __always_inline bool site_is_outside_frames(void)
{
	return site_constant() & (SITE_AT_EXIT | SITE_AT_ENTRY) &&
	       !(site_constant() & SITE_BY_BRANCH);
}

/* Returns the site's number or, with SITE_BY_BRANCH, its index in site_exits. */
static __always_inline __u32 site_index(void *ctx)
{
	__u64 constant = site_constant();
	__u32 kind = constant >> 32 & SITE_KIND;
	__u32 index, *number;

	if (kind == SITE_FIXED)
		return constant;
	if (kind == SITE_COOKIE)
		return bpf_get_attach_cookie(ctx);
	index = (__u32)constant + (site_address(ctx) & (SITE_PAGE_BYTES - 1));
	number = bpf_map_lookup_elem(&site_table, &index);
	return number ? *number : 0;
}

static __always_inline bool site_is_by_branch(void)
{
	return site_constant() & SITE_BY_BRANCH;
}

static __always_inline struct site_exit *site_exit(void *ctx)
{
	__u32 index = site_index(ctx);

	return bpf_map_lookup_elem(&site_exits, &index);
}

static __always_inline __u32 site_number(void *ctx)
{
	struct site_exit *exit;

	if (!site_is_by_branch())
		return site_index(ctx) & ~SITE_BORROWED;
	exit = site_exit(ctx);
	return exit ? exit->number & ~SITE_BORROWED : 0;
}

/* Call at a function's return: returns the stack pointer as it was at the first instruction. */
static __always_inline __u64 site_entry_stack(void *ctx)
{
#ifdef __TARGET_ARCH_x86
	struct pt_regs *regs = ctx;
	__u64 sp = regs->sp, bp = regs->bp;
	struct site_exit *exit;

	/* After the return, the return address has been popped. */
	if (!site_is_by_branch())
		return sp - (site_is_exit() ? 0 : sizeof(__u64));
	exit = site_exit(ctx);
	return exit ? (exit->by_fp ? bp : sp) + exit->stack : sp;
#else
	return ((struct user_pt_regs *)ctx)->sp;
#endif
}

/* Call at a function's return: returns the value that the function returns. */
static __always_inline __u64 site_result(void *ctx)
{
	__u64 value = PT_REGS_RC((struct pt_regs *)ctx);
#ifdef __TARGET_ARCH_x86
	struct pt_regs *regs = ctx;
	__u64 flags = regs->flags;
	struct site_exit *exit;
	struct site_way *way;
	__u32 index;
	bool is_taken;

	if (!site_is_by_branch())
		return value;
	exit = site_exit(ctx);
	if (!exit)
		return value;
	is_taken = flags & exit->flags || (exit->by_sign & (flags >> 7 ^ flags >> 11));
	index = is_taken ^ exit->is_inverted;
	barrier_var(index); /* Linux 5.10 does not know the bounds of an exclusive or */
	way = &exit->ways[index & 1];
	if (way->reg == SITE_NO_REGISTER)
		return way->constant;
	bpf_probe_read_kernel(&value, sizeof(value), ctx + way->reg);
	value <<= way->shift & 63;
	value = way->is_signed ? (__u64)((__s64)value >> (way->shift & 63))
			       : value >> (way->shift & 63);
	return way->is_narrow ? (__u32)value : value;
#else
	return value;
#endif
}
