/*
 * A function whose implementation is chosen when the program starts (IFUNC).
 *
 *     indirect [ROUNDS]      prints "ready", then ROUNDS times (default 1), each millisecond, calls
 *                            scale(), and strlen() with the program's name
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline, used)) static int scale_slow(int number)
{
    __asm__ volatile("" : "+r"(number));
    return number * 3;
}

__attribute__((noinline, used)) static int scale_fast(int number)
{
    __asm__ volatile("" : "+r"(number));
    return (number << 1) + number;
}

static int (*choose_scale(void))(int)
{
    return scale_fast;
}

__attribute__((ifunc("choose_scale"))) int scale(int number);

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1;

    puts("ready");
    fflush(stdout);
    size_t length = 0;
    for (int i = 0; i < rounds; i++) {
        scale(i + 100);
        __asm__ volatile("" : "+r"(argv) : : "memory"); /* else strlen() is called only once */
        length += strlen(argv[0]);
        usleep(1000);
    }
    return length == 0;
}
