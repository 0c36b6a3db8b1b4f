/*
 * Instructions that a BPF program executes instead of the kernel: how the attach cookie of a site
 * encodes its instruction, and the arithmetic. common/attach/execute.h explains when and why.
 */
#pragma once

#include "bpf/lib/abi.h"

/* The cookie, from its lowest bit on:
 *    12 bits  the low bits of the instruction's address, which equal those of its file offset
 *     4       its length
 *     5       its form (EXECUTE_NOTHING ...)
 *     4       the register that is written or compared, in the numbering of instructions
 *     5       the base register of the other operand, or one of the two numbers below
 *     1       1: 64 bits wide; 0: 32 bits
 *    32       a signed number. The other operand is the base register plus this number; a return
 *             removes this many bytes of arguments. */
#define EXECUTE_OFFSET_MASK 4095
#define EXECUTE_LENGTH_SHIFT 12
#define EXECUTE_LENGTH_MASK 15
#define EXECUTE_FORM_SHIFT 16
#define EXECUTE_FORM_MASK 31
#define EXECUTE_TO_SHIFT 21
#define EXECUTE_TO_MASK 15
#define EXECUTE_FROM_SHIFT 25
#define EXECUTE_FROM_MASK 31
#define EXECUTE_WIDE (1ULL << 30)
#define EXECUTE_VALUE_SHIFT 32

enum {
	EXECUTE_NO_REGISTER = 16,
	EXECUTE_NEXT = 17, /* the address of the next instruction */
};

enum {
	EXECUTE_NOTHING = 1, /* endbr64 */
	EXECUTE_RETURN,
	EXECUTE_SET,  /* mov, lea */
	EXECUTE_LOAD, /* mov from memory */
	EXECUTE_JUMP, /* to the other operand */
	EXECUTE_JUMP_BY_MEMORY,
	EXECUTE_ADD,
	EXECUTE_SUB,
	EXECUTE_CMP,
	EXECUTE_AND,
	EXECUTE_TEST,
	EXECUTE_OR,
	EXECUTE_XOR,
};

/* The flags that arithmetic writes: carry, parity, adjust, zero, sign, overflow. */
#define EXECUTE_CF 0x1ULL
#define EXECUTE_PF 0x4ULL
#define EXECUTE_AF 0x10ULL
#define EXECUTE_ZF 0x40ULL
#define EXECUTE_SF 0x80ULL
#define EXECUTE_OF 0x800ULL
#define EXECUTE_FLAGS (EXECUTE_CF | EXECUTE_PF | EXECUTE_AF | EXECUTE_ZF | EXECUTE_SF | EXECUTE_OF)

/* Returns the result for operands `a` and `b`, and writes the new flags to `flags_out`. The adjust
 * flag is undefined after and, or, xor and test; like processors, we clear it. */
static inline __u64 execute_arithmetic(__u32 form, __u64 is_wide, __u64 a, __u64 b,
				       __u64 *flags_out)
{
	__u64 mask = is_wide ? ~0ULL : 0xffffffffULL, sign = is_wide ? 1ULL << 63 : 1ULL << 31;
	__u64 flags = 0, value, low;

	a &= mask;
	b &= mask;
	switch (form) {
	case EXECUTE_ADD:
		value = (a + b) & mask;
		if (value < a)
			flags |= EXECUTE_CF;
		if ((a ^ value) & (b ^ value) & sign)
			flags |= EXECUTE_OF;
		flags |= (a ^ b ^ value) & EXECUTE_AF;
		break;
	case EXECUTE_SUB:
	case EXECUTE_CMP:
		value = (a - b) & mask;
		if (a < b)
			flags |= EXECUTE_CF;
		if ((a ^ b) & (a ^ value) & sign)
			flags |= EXECUTE_OF;
		flags |= (a ^ b ^ value) & EXECUTE_AF;
		break;
	case EXECUTE_OR:
		value = a | b;
		break;
	case EXECUTE_XOR:
		value = a ^ b;
		break;
	default: /* and, test */
		value = a & b;
		break;
	}
	if (!value)
		flags |= EXECUTE_ZF;
	if (value & sign)
		flags |= EXECUTE_SF;
	low = value ^ value >> 4; /* the parity flag covers the lowest byte only */
	if (!(0x6996 >> (low & 15) & 1))
		flags |= EXECUTE_PF;
	*flags_out = flags;
	return value;
}
