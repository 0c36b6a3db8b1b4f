// What the programs in this folder have in common: they compute, keep a checksum of it, and print that. They are run
// with and without probes on all of their functions, and must print the same. The first argument says how many rounds.
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noipa))
#endif

static uint64_t check_sum = 14695981039346656037ull;

static inline void mix(uint64_t value)
{
    check_sum = (check_sum ^ value) * 1099511628211ull;
    check_sum ^= check_sum >> 29;
}

// A program's arguments are on its stack where a function's return address would be.
static inline int rounds(int argc, char **argv)
{
    mix(argc);
    return argc > 1 ? atoi(argv[1]) : 1;
}

static inline int report(const char *name)
{
    printf("%s %016llx\n", name, (unsigned long long)check_sum);
    return 0;
}
