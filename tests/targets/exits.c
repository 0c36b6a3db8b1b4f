/*
 * Functions that end in different ways: by several returns, by jumps to other functions, in a jump
 * table, in a part that the compiler has moved away.
 *
 *     exits [N [wait]]
 *
 * Calls each of them N times (default 1) and prints the sum of their results. With `wait`, prints
 * "ready" and reads a line first.
 *
 * build: -fcf-protection=none -fno-stack-protector
 */
#include <stdio.h>
#include <stdlib.h>

#define TRACED __attribute__((noipa))

TRACED long plain(long n)
{
    return n * 3;
}

TRACED long two_ways(long n)
{
    if (n & 1)
        return plain(n) + 1;
    return plain(n) - 1;
}

/* `jmp plain` */
TRACED long tail_caller(long n)
{
    return plain(n + 1);
}

/* A conditional jump to tail_caller(), which jumps to plain(): plain() returns for all three. */
TRACED long conditional_tail(long n)
{
    if (n > 2)
        return tail_caller(n);
    return two_ways(n) + two_ways(n);
}

TRACED long by_pointer(long (*function)(long), long n)
{
    return function(n);
}

/* A jump table: the addresses of the cases. */
TRACED long table(long n)
{
    switch (n % 8) {
    case 0:
        return plain(n) + 10;
    case 1:
        return two_ways(n) * 2;
    case 2:
        return n ^ 1;
    case 3:
        return tail_caller(n) + 5;
    case 4:
        return plain(two_ways(n));
    case 5:
        return -n;
    case 6:
        return two_ways(plain(n));
    default:
        return by_pointer(plain, n) + 3;
    }
}

TRACED __attribute__((cold)) long failed(long n)
{
    fprintf(stderr, "failed: %ld\n", n);
    return -1;
}

/* GCC moves a part of this function to another address, with the symbol with_cold_part.cold. */
TRACED long with_cold_part(long n)
{
    if (__builtin_expect(n == 7, 0)) {
        failed(n);
        if (n > 6)
            failed(n + 1);
        return 100 + plain(n);
    }
    return plain(n) + plain(n + 1);
}

#ifdef __x86_64__
/*
 * The moved part of this function keeps nothing on the stack, so that it looks like another function
 * in .eh_frame. It jumps back into the middle, where the rest of the function also leads.
 */
long moved_back(long n);
asm(".text\n"
    ".type moved_back, @function\n"
    "moved_back: .cfi_startproc\n"
    "cmp $40, %rdi\n"
    "ja 2f\n"
    "lea 1(%rdi), %rax\n"
    "1: shl $1, %rax\n"
    "ret\n"
    ".cfi_endproc\n"
    ".size moved_back, .-moved_back\n"
    ".section .text.unlikely, \"ax\"\n"
    "2: .cfi_startproc\n"
    "xor %eax, %eax\n"
    "jmp 1b\n"
    ".cfi_endproc\n"
    ".text\n");
#else
TRACED long moved_back(long n)
{
    return n > 40 ? 0 : 2 * (n + 1);
}
#endif

/* Deep recursion. */
TRACED long deep(long n)
{
    return n ? deep(n - 1) ^ n : 0;
}

/* A jump to the PLT: atol(), in another library, returns to the caller of by_plt(). */
TRACED long by_plt(const char *text)
{
    return atol(text);
}

int main(int argc, char **argv)
{
    long calls = argc > 1 ? atol(argv[1]) : 1, sum = 0;

    if (argc > 2) {
        puts("ready");
        fflush(stdout);
        getchar();
    }
    for (long n = 0; n < calls; n++) {
        sum += plain(n) + two_ways(n) + tail_caller(n) + conditional_tail(n);
        sum +=
            by_pointer(two_ways, n) + table(n) + with_cold_part(n) + deep(n % 100) + by_plt("12");
        sum += moved_back(n);
    }
    printf("%ld\n", sum);
    return 0;
}
