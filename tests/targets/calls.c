/*
 * Starts THREADS threads. Each of them does all STEPs, one after another:
 *
 *     calls THREADS STEP:COUNT…
 *
 *     plain      COUNT calls of plain()
 *     recursive  COUNT calls of recursive(), nested: all but the first come from recursive() itself
 *     slow       COUNT calls of slow(), which take 2 ms each
 *     lengthy    COUNT calls of lengthy(), which take 100 ms each
 *     jump       COUNT times: a call of jumped(), which calls itself; longjmp leaves both calls, then
 *                deep_plain() calls plain()
 *
 * build: -pthread
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEPT __attribute__((noipa))

static char **steps;
static __thread jmp_buf out;

KEPT int plain(int n)
{
    return n + 1;
}

KEPT int recursive(int n)
{
    volatile int rest = n > 1 ? recursive(n - 1) : 0; /* else it becomes a loop */

    return rest + 1;
}

KEPT int slow(int n)
{
    usleep(2000);
    return n;
}

KEPT int lengthy(int n)
{
    usleep(100000);
    return n;
}

KEPT int jumped(int n)
{
    if (n == 0)
        longjmp(out, 1);
    volatile int rest = jumped(n - 1);

    return rest + 1;
}

KEPT int deep_plain(int n)
{
    volatile char frame[512];

    frame[0] = n;
    return plain(n) + frame[0];
}

static void *run(void *unused)
{
    (void)unused;
    for (char **step = steps; *step; step++) {
        int count = atoi(strchr(*step, ':') + 1);

        if (strncmp(*step, "recursive:", 10) == 0) {
            recursive(count);
            continue;
        }
        for (int i = 0; i < count; i++) {
            if (strncmp(*step, "plain:", 6) == 0)
                plain(i);
            else if (strncmp(*step, "slow:", 5) == 0)
                slow(i);
            else if (strncmp(*step, "lengthy:", 8) == 0)
                lengthy(i);
            else if (setjmp(out) == 0)
                jumped(1);
            else
                deep_plain(i);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[64];
    int count = argc > 1 ? atoi(argv[1]) : 0;

    steps = argv + 2;
    for (int i = 0; i < count && i < 64; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < count && i < 64; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
