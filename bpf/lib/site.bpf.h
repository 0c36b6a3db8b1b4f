/* Finds the number of the site that a program runs at: see bpf/lib/site.h. */
#pragma once

#include "bpf/lib/bpf.h"
#include "bpf/lib/site.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by the frontend */
	__type(key, __u32);
	__type(value, __u32);
} site_table SEC(".maps");

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

/* Returns whether the return address is where a call puts it: at first and return instructions. */
static __always_inline bool site_is_outside_frames(void)
{
	return site_constant() & (SITE_AT_EXIT | SITE_AT_ENTRY);
}

static __always_inline __u32 site_number(void *ctx)
{
	__u64 constant = site_constant();
	__u32 kind = constant >> 32 & SITE_KIND;
	__u32 index, *number;

	if (kind == SITE_FIXED)
		return constant & ~SITE_BORROWED;
	if (kind == SITE_COOKIE)
		return bpf_get_attach_cookie(ctx) & ~SITE_BORROWED;
	index = (__u32)constant + (site_address(ctx) & (SITE_PAGE_BYTES - 1));
	number = bpf_map_lookup_elem(&site_table, &index);
	return number ? *number & ~SITE_BORROWED : 0;
}

/* Call at a function's return: returns the stack pointer as it was at the first instruction. */
static __always_inline __u64 site_entry_stack(void *ctx)
{
#ifdef __TARGET_ARCH_x86
	/* After the return, the return address has been popped. */
	return ((struct pt_regs *)ctx)->sp - (site_is_exit() ? 0 : sizeof(__u64));
#else
	return ((struct user_pt_regs *)ctx)->sp;
#endif
}
