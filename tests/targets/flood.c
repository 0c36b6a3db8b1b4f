/*
 * Starts THREADS threads, each of which calls flood(thread, number) with the numbers from 1 to
 * CALLS as fast as it can.
 *
 *     flood THREADS CALLS [MILLISECONDS]      with MILLISECONDS: pauses so long after each call
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef __clang__
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noipa))
#endif

KEPT long flood(long thread, long number)
{
    return thread + number;
}

static long calls;
static useconds_t pause_us;

static void *run(void *thread)
{
    for (long number = 1; number <= calls; number++) {
        flood((long)thread, number);
        if (pause_us)
            usleep(pause_us);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    long threads = argc > 1 ? atol(argv[1]) : 1;
    pthread_t all[64];

    calls = argc > 2 ? atol(argv[2]) : 1;
    pause_us = argc > 3 ? 1000 * atol(argv[3]) : 0;
    if (threads < 1 || threads > 64)
        return 2;
    puts("ready");
    fflush(stdout);
    for (long i = 0; i < threads; i++)
        pthread_create(&all[i], NULL, run, (void *)(i + 1));
    for (long i = 0; i < threads; i++)
        pthread_join(all[i], NULL);
    return 0;
}
