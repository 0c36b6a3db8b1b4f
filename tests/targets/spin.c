/*
 * Prints "ready", then uses the CPU until it is killed: spin() calls often(), which takes three
 * quarters of the time, and seldom(), which takes a quarter. The length of the calls is random:
 * with a fixed period, they could be in step with a profiler's samples. With an argument, instead
 * spends its time in the kernel, by reading /dev/zero.
 *
 * build: -fno-omit-frame-pointer -fno-optimize-sibling-calls
 */
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define KEPT __attribute__((noipa))

static unsigned long now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000UL + now.tv_nsec / 1000;
}

KEPT static void burn(unsigned long us)
{
    unsigned long end = now_us() + us;

    while (now_us() < end)
        for (volatile int i = 0; i < 10000; i++)
            ;
}

/* Returns a random number from 500 to 1500. */
static unsigned long some_us(void)
{
    static unsigned state = 1;

    state = state * 1664525 + 1013904223;
    return 500 + (state >> 8) % 1001;
}

KEPT static void often(unsigned long us)
{
    burn(3 * us);
    __asm__ volatile("");
}

KEPT static void seldom(unsigned long us)
{
    burn(us);
    __asm__ volatile("");
}

KEPT static void spin(void)
{
    for (;;) {
        unsigned long us = some_us();

        often(us);
        seldom(us);
    }
}

KEPT static void read_zeros(void)
{
    static char buffer[1 << 20];
    int zero = open("/dev/zero", O_RDONLY);

    while (read(zero, buffer, sizeof(buffer)) > 0)
        ;
}

int main(int count, char **arguments)
{
    (void)arguments;
    setvbuf(stdout, NULL, _IONBF, 0);
    puts("ready");
    if (count > 1)
        read_zeros();
    spin();
}
