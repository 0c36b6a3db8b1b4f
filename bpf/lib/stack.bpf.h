/*
 * The caller that a stack walk misses.
 *
 * Frame pointers lead from frame to frame, but at a function's first instruction its own frame does
 * not exist yet: the walk starts in the caller's frame, and so skips the caller. Its address is on
 * top of the stack. (Since Linux 6.11 the kernel looks for itself, if the function starts with
 * `push %rbp`.)
 */
#pragma once

static __always_inline __u64 stack_top(void *ctx)
{
	__u64 top;

	/* Not a field of ctx: the same code also runs for tracepoints, whose context is no pt_regs. */
#if defined(__TARGET_ARCH_x86)
	__u64 pointer;

	if (bpf_probe_read_kernel(&pointer, sizeof(pointer), ctx + offsetof(struct pt_regs, sp)))
		return 0;
	if (bpf_probe_read_user(&top, sizeof(top), (void *)pointer))
		return 0;
	return top;
#else /* the link register, x30 */
	if (bpf_probe_read_kernel(&top, sizeof(top), ctx + offsetof(struct user_pt_regs, regs[30])))
		return 0;
	return top;
#endif
}
