/*
 * Calls work() N times (default 1) in each of these ways: 3 times from often(), twice from
 * seldom(), at the depths 0 to 4 of the recursive down(), and once from a thread.
 *
 *     stacks [wait] [N [differ]]    wait: prints "ready", and reads a line
 *                                   before the first call; differ: the stack's
 *                                   contents differ from one time to the next
 *
 * build: -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -pthread
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* noipa: not inlined or merged. The empty asm statements prevent tail calls. */
#define FUNCTION __attribute__((noipa))

FUNCTION void work(int number)
{
    __asm__ volatile("" ::"r"(number) : "memory");
}

FUNCTION void often(void)
{
    for (int i = 0; i < 3; i++)
        work(i);
}

FUNCTION void seldom(void)
{
    work(100);
    work(101);
}

FUNCTION void down(int depth)
{
    work(200 + depth);
    if (depth < 4)
        down(depth + 1);
    __asm__ volatile("");
}

FUNCTION void *thread(void *unused)
{
    work(300);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t other;
    char line[8];
    int is_waiting = argc > 1 && !strcmp(argv[1], "wait");
    int times = argc > 1 + is_waiting ? atoi(argv[1 + is_waiting]) : 1;
    int differs = argc > 2 + is_waiting;
    char *volatile round; /* would be an address in another 64 kB each time */

    if (is_waiting) {
        puts("ready");
        fflush(stdout);
        if (!fgets(line, sizeof(line), stdin))
            return 1;
    }
    for (int i = 0; i < times; i++) {
        round = (char *)(differs ? (i + 1UL) << 16 : 0);
        often();
        seldom();
        down(0);
        if (pthread_create(&other, NULL, thread, NULL) != 0 || pthread_join(other, NULL) != 0)
            return 1;
    }
    return 0;
}
