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
 */
enum { SITE_FIXED, SITE_COOKIE, SITE_TABLE };
#define SITE_KIND 0xff
#define SITE_AT_EXIT (1ULL << 63)
#define SITE_AT_ENTRY (1ULL << 62)
#define SITE_IN_KERNEL (1ULL << 61)
#define SITE_AT_STACK_CHECK (1ULL << 60)

/* In a site's number: the exit belongs to another function, which the numbered one tail-calls. */
#define SITE_BORROWED_BIT 31
#define SITE_BORROWED (1U << SITE_BORROWED_BIT)

enum { SITE_PAGE_BYTES = 4096 };
