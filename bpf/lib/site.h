/*
 * A probe may have many sites (code addresses). This is how its BPF program finds out at which site
 * it runs. The result is a number from 1, or 0 if the program serves only one site.
 *
 * If the kernel passes an attach cookie for each site to the program, the cookie is the number.
 * Otherwise (before Linux 6.6, where many sites are one event), the program knows the address at
 * which it runs, but not where the file was loaded. The file is loaded at a page boundary, so the
 * last 12 bits of the address equal those of the file offset. Sites that share these bits get
 * programs of their own, and a table maps the bits to numbers (common/probe/sites.h). A program
 * that serves one site needs no table.
 *
 * A constant in each program selects the method: the C code contains SITE_PLACEHOLDER, which
 * common/kernel/templates.h replaces when it puts the program together.
 */
#pragma once

#include "bpf/lib/abi.h"

#define SITE_PLACEHOLDER 0x7573636f70650000ULL

/*
 * The upper half of the constant holds the method. The lower half is the number for SITE_FIXED; for
 * SITE_TABLE, the index in the table of page offset 0. These bits describe where the program runs:
 *    SITE_AT_EXIT         at instructions that leave a function, not after its return
 *    SITE_AT_ENTRY        at the first instruction of functions
 *    SITE_IN_KERNEL       in the kernel, not in a user program
 *    SITE_AT_STACK_CHECK  at the jumps to the code that grows a Go stack (common/go/entry.h)
 *    SITE_BY_BRANCH       some of the exits are branches that lead to a return. The number of a site
 *                         is then an index in the map site_exits, which has the function's number
 */
enum { SITE_FIXED, SITE_COOKIE, SITE_TABLE };
#define SITE_KIND 0xff
#define SITE_AT_EXIT (1ULL << 63)
#define SITE_AT_ENTRY (1ULL << 62)
#define SITE_IN_KERNEL (1ULL << 61)
#define SITE_AT_STACK_CHECK (1ULL << 60)
#define SITE_BY_BRANCH (1ULL << 59)

/* In a site's number: the exit belongs to another function, which the numbered one tail-calls. */
#define SITE_BORROWED_BIT 31
#define SITE_BORROWED (1U << SITE_BORROWED_BIT)

enum { SITE_PAGE_BYTES = 4096 };

/* What follows a branch if it is taken, or not: see common/resolve/exit_branches.h. */
struct site_way {
	__s64 constant; /* the result, if `reg` is SITE_NO_REGISTER */
	__u8 returns;	/* 1: only straight code follows, up to a return */
	__u8 reg;	/* the register with the result: its offset in struct pt_regs */
	__u8 shift;	/* the result is the register << shift >> shift, */
	__u8 is_signed; /* with the sign, */
	__u8 is_narrow; /* of which only the lower 32 bits count */
	__u8 pad[3];
};
ABI_SIZE(site_way, 16);
#define SITE_NO_REGISTER 255

/*
 * An exit of a function: a return instruction, or a branch that leads to one. The branch is taken
 * if (EFLAGS & flags) is not 0 or, with by_sign, the sign and overflow flags differ; with
 * is_inverted, if neither is true.
 */
struct site_exit {
	__s64 stack;  /* distance from %rsp (by_fp: %rbp) to the return address */
	__u32 number; /* of the site's function, with SITE_BORROWED */
	__u32 flags;
	__u8 by_fp;
	__u8 by_sign;
	__u8 is_inverted;
	__u8 pad[5];
	struct site_way ways[2]; /* [1]: if the branch is taken */
};
ABI_SIZE(site_exit, 56);
