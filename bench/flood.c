/*
 * The traced program: calls a function as fast as it can, and prints the nanoseconds per call.
 *
 *     flood CALLS [ROUNDS [PAUSE_US]]   makes ROUNDS times CALLS calls; prints the time of the
 *                                       fastest round. Sleeps for PAUSE_US between rounds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/*
 * noipa: the compiler must not inline the function or change its arguments.
 * patchable_function_entry: the function starts with a nop. The kernel emulates a nop that has a
 * probe; other instructions it would single-step, which costs more than what is to be measured.
 */
#ifndef FLOOD_ENTRY
#define FLOOD_ENTRY __attribute__((noipa, patchable_function_entry(1)))
#endif
#ifndef FLOOD_PROBE
#define FLOOD_PROBE(number, value, text)
#endif
#ifdef FLOOD_IN_ASSEMBLY
long flood_work(int number, long value, const char *text);
#else
FLOOD_ENTRY long flood_work(int number, long value, const char *text)
{
    FLOOD_PROBE(number, value, text);
    return number + value + text[0];
}
#endif

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e9 + now.tv_nsec;
}

int main(int argc, char **argv)
{
    long calls = argc > 1 ? atol(argv[1]) : 100000;
    long rounds = argc > 2 ? atol(argv[2]) : 1;
    long pause_us = argc > 3 ? atol(argv[3]) : 0;
    /* On the stack, because the stack's page is in memory: no page fault must be measured. */
    char text[] = "the text of an event";
    double best = 0;
    volatile long sum = 0;

    for (long round = 0; round < rounds; round++) {
        double start = now_ns();
        for (long i = 0; i < calls; i++)
            sum += flood_work(i, 181, text);
        double cost = (now_ns() - start) / calls;
        if (round == 0 || cost < best)
            best = cost;
        if (pause_us)
            usleep(pause_us);
    }
    printf("%.2f\n", best);
    return 0;
}
