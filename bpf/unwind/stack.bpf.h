/*
 * The caller that a stack walk by frame pointers misses.
 *
 * Frame pointers lead from frame to frame, but at a function's first instruction its own frame does
 * not exist yet: the walk starts in the caller's frame, and so skips the caller. Its address is on
 * top of the stack. (Since Linux 6.12 the kernel itself finds it if the function starts with
 * `push %rbp`.)
 *
 * The same holds for stacks of the kernel on arm64. On x86-64 the kernel walks them with tables
 * (ORC), which miss no caller.
 */
#pragma once

#if defined(__TARGET_ARCH_x86)
#define STACK_TOP_REGISTER offsetof(struct pt_regs, sp)
#else /* the link register, x30 */
#define STACK_TOP_REGISTER offsetof(struct user_pt_regs, regs[30])
#endif

static __always_inline __u64 stack_top_by(__u64 value)
{
#if defined(__TARGET_ARCH_x86)
	__u64 top;

	return bpf_probe_read_user(&top, sizeof(top), (void *)value) ? 0 : top;
#else
	return value;
#endif
}

/*
 * For code that also runs for tracepoints, whose context is not a pt_regs. Returns 0 if unreadable.
 */
static __always_inline __u64 stack_top(void *ctx)
{
	__u64 value;

	if (bpf_probe_read_kernel(&value, sizeof(value), ctx + STACK_TOP_REGISTER))
		return 0;
	return stack_top_by(value);
}

/* For code that runs only for uprobes. */
static __always_inline __u64 stack_top_of_uprobe(void *ctx)
{
	return stack_top_by(*(__u64 *)(ctx + STACK_TOP_REGISTER));
}
