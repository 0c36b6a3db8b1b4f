/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Executes probed instructions that the kernel would have to single-step (common/attach/execute.h).
 *
 * If a BPF program has changed the instruction pointer, the kernel skips the instruction. So if
 * anything is not as expected, we change nothing, and the kernel single-steps.
 */
#include "bpf/lib/bpf.h"
#include <bpf/bpf_core_read.h>

#include "bpf/shared/execute.h"

#ifdef __TARGET_ARCH_x86

enum {
	USER_CODE_64 = 0x33, /* cs of a 64-bit program */
	TRAP_FLAG = 1 << 8,  /* a debugger steps: the kernel must report the instruction's end */
	BREAKPOINT = 0xcc,   /* int3 */
	USER_ADDRESS_BITS = 47,
};

/*
 * Returns whether the thread is still at the site: another tracer's program may have moved it. A
 * site has a breakpoint, and the low bits of its address equal those of its file offset.
 */
static __always_inline bool execute_is_at_site(const struct pt_regs *regs, __u64 cookie)
{
	__u8 byte = 0;

	if ((regs->ip & EXECUTE_OFFSET_MASK) != (cookie & EXECUTE_OFFSET_MASK))
		return false;
	bpf_probe_read_user(&byte, sizeof(byte), (void *)regs->ip);
	return byte == BREAKPOINT;
}

#define OFFSET_OF(member) "i"(__builtin_offsetof(struct pt_regs, member))

/*
 * The verifier allows access to the context only at constant offsets. The assembly keeps the
 * compiler from merging several accesses into one.
 */
#define READ(number, member)                                                                       \
	case number:                                                                               \
		asm volatile("%0 = *(u64 *)(%1 + %2)"                                              \
			     : "=r"(value)                                                         \
			     : "r"(regs), OFFSET_OF(member));                                      \
		break
#define WRITE(number, member)                                                                      \
	case number:                                                                               \
		asm volatile("*(u64 *)(%1 + %2) = %0"                                              \
			     :                                                                     \
			     : "r"(value), "r"(regs), OFFSET_OF(member)                            \
			     : "memory");                                                          \
		break

static __noinline __u64 execute_read(struct pt_regs *regs, __u32 number)
{
	__u64 value = 0;

	switch (number) {
		READ(0, ax);
		READ(1, cx);
		READ(2, dx);
		READ(3, bx);
		READ(4, sp);
		READ(5, bp);
		READ(6, si);
		READ(7, di);
		READ(8, r8);
		READ(9, r9);
		READ(10, r10);
		READ(11, r11);
		READ(12, r12);
		READ(13, r13);
		READ(14, r14);
		READ(15, r15);
	}
	return value;
}

/* Writes the registers that common/insn/execute.cpp allows as targets. */
static __always_inline void execute_write(struct pt_regs *regs, __u32 number, __u64 value)
{
	switch (number) {
		WRITE(0, ax);
		WRITE(3, bx);
		WRITE(10, r10);
		WRITE(11, r11);
		WRITE(12, r12);
		WRITE(13, r13);
		WRITE(14, r14);
		WRITE(15, r15);
	}
}

static __always_inline void execute_return(struct pt_regs *regs, __u32 arguments)
{
	__u64 caller;

	if (bpf_probe_read_user(&caller, sizeof(caller), (void *)regs->sp) ||
	    caller >> USER_ADDRESS_BITS)
		return;
	regs->sp += sizeof(caller) + arguments;
	regs->ip = caller;
}

/* Returns false if the memory is not present. */
static __always_inline bool execute_load(__u64 is_wide, __u64 address, __u64 *value)
{
	*value = 0;
	return !bpf_probe_read_user(value, is_wide ? 8 : 4, (void *)address);
}

static __always_inline void execute_jump(struct pt_regs *regs, __u64 target)
{
	if (!(target >> USER_ADDRESS_BITS))
		regs->ip = target;
}

/* Executes instructions that neither write memory nor move the stack pointer. */
static __always_inline void execute_computation(struct pt_regs *regs, __u64 cookie)
{
	__u32 form = cookie >> EXECUTE_FORM_SHIFT & EXECUTE_FORM_MASK;
	__u32 to = cookie >> EXECUTE_TO_SHIFT & EXECUTE_TO_MASK;
	__u32 from = cookie >> EXECUTE_FROM_SHIFT & EXECUTE_FROM_MASK;
	__u64 next = regs->ip + (cookie >> EXECUTE_LENGTH_SHIFT & EXECUTE_LENGTH_MASK);
	__u64 value = from == EXECUTE_NEXT ? next : execute_read(regs, from);

	value += (__s64)cookie >> EXECUTE_VALUE_SHIFT;
	if ((form == EXECUTE_LOAD || form == EXECUTE_JUMP_BY_MEMORY) &&
	    !execute_load(cookie & EXECUTE_WIDE, value, &value))
		return;
	if (form == EXECUTE_JUMP || form == EXECUTE_JUMP_BY_MEMORY)
		return execute_jump(regs, value);
	if (form >= EXECUTE_ADD) {
		__u64 flags;

		value = execute_arithmetic(form, cookie & EXECUTE_WIDE, execute_read(regs, to),
					   value, &flags);
		regs->flags = (regs->flags & ~EXECUTE_FLAGS) | flags;
	} else if (!(cookie & EXECUTE_WIDE)) {
		value = (__u32)value;
	}
	if (form != EXECUTE_CMP && form != EXECUTE_TEST)
		execute_write(regs, to, value);
	regs->ip = next;
}

static __always_inline int execute(struct pt_regs *regs, bool may_return)
{
	__u64 cookie = bpf_get_attach_cookie(regs);

	if (regs->cs != USER_CODE_64 || regs->flags & TRAP_FLAG ||
	    !execute_is_at_site(regs, cookie))
		return 0;
	switch (cookie >> EXECUTE_FORM_SHIFT & EXECUTE_FORM_MASK) {
	case EXECUTE_NOTHING:
		regs->ip += cookie >> EXECUTE_LENGTH_SHIFT & EXECUTE_LENGTH_MASK;
		break;
	case EXECUTE_RETURN:
		if (may_return)
			execute_return(regs, cookie >> EXECUTE_VALUE_SHIFT);
		break;
	default:
		execute_computation(regs, cookie);
		break;
	}
	return 0;
}

#else

static __always_inline int execute(struct pt_regs *regs, bool may_return)
{
	return 0;
}

#endif

/* For systems on which no process can have a shadow stack. */
SEC("uprobe")
int execute_plain(struct pt_regs *regs)
{
	return execute(regs, true);
}

#define FEATURE_SHADOW_STACK 1 /* ARCH_SHSTK_SHSTK */

struct thread_struct___shadow {
	unsigned long features;
} __attribute__((preserve_access_index));

struct task_struct___shadow {
	struct thread_struct___shadow thread;
} __attribute__((preserve_access_index));

/*
 * Returns whether the thread has a shadow stack, the hardware's second stack of return addresses.
 * We could not update it, so the kernel has to execute returns.
 */
static __always_inline bool execute_has_shadow_stack(void)
{
	struct task_struct___shadow *task = (void *)bpf_get_current_task();

	if (!bpf_core_field_exists(task->thread.features))
		return true;
	return BPF_CORE_READ(task, thread.features) & FEATURE_SHADOW_STACK;
}

SEC("uprobe")
int execute_unless_shadow_stack(struct pt_regs *regs)
{
	return execute(regs, !execute_has_shadow_stack());
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
