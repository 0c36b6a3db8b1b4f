/*
 * Uses the processor until it is killed: three quarters of the time in `often`, one in `seldom`, both called from
 * `spin`. With an argument: in the kernel, reading /dev/zero. First it says "ready".
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

KEPT static void often(void)
{
    burn(3000);
    __asm__ volatile("");
}

KEPT static void seldom(void)
{
    burn(1000);
    __asm__ volatile("");
}

KEPT static void spin(void)
{
    for (;;) {
        often();
        seldom();
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
