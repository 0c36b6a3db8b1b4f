// Shared by the programs in this folder. Each computes something, and prints a checksum of the
// results. Tests run it with and without probes on all of its functions: it must print the same.
// The first argument is the number of rounds.
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

// argc is checked because it is on the stack where _start() would have its return address: a return
// probe on _start() would overwrite it.
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
