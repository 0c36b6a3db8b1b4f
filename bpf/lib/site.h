/*
 * Which of its probe's sites a program runs at: a number from 1 on, or 0 when it serves but one.
 *
 * Where the kernel keeps a number for each site, the attach cookie says it. Where it does not (Linux
 * before 6.6, on which many sites are one event), a program can see at which address it runs, but
 * not where the file was loaded; that is a whole number of pages, so the last 12 bits are those of
 * the place in the file. Sites that have these bits in common get programs of their own, and a table
 * tells the number of each (common/probe/sites.h). A program that serves one site needs no table.
 *
 * Each program has a constant that says how: the C half holds SITE_PLACEHOLDER, which is replaced
 * when the program is put together (common/attach/link.h).
 */
#pragma once

#include "lib/abi.h"

#define SITE_PLACEHOLDER 0x7573636f70650000ULL

/* The upper half of the constant. The lower one: of SITE_FIXED the number, of SITE_PLACES the index
 * in the table of the place 0 in a page. Beside that, where it is that the program runs:
 * SITE_AT_EXIT: at instructions by which functions are left, not behind their returns;
 * SITE_AT_ENTRY: at the first instructions of functions;
 * SITE_IN_KERNEL: not in a program;
 * SITE_AT_STACK_CHECK: at the jumps by which Go functions have their stack grow (common/go/entry.h). */
enum { SITE_FIXED, SITE_COOKIE, SITE_PLACES };
#define SITE_KIND 0xff
#define SITE_AT_EXIT (1ULL << 63)
#define SITE_AT_ENTRY (1ULL << 62)
#define SITE_IN_KERNEL (1ULL << 61)
#define SITE_AT_STACK_CHECK (1ULL << 60)

/* In a site's number: the way out is that of another function, which the numbered one tail-calls. */
#define SITE_BORROWED_BIT 31
#define SITE_BORROWED (1U << SITE_BORROWED_BIT)

enum { SITE_PAGE_PLACES = 4096 };
