/*
 * Functions whose returns follow a branch in different ways: after the stack protector's check, an
 * early return, a loop, with a result that is a constant, another register or computed.
 *
 *     branches N
 *
 * Calls each of them with 0 … N-1, and prints a line for each call: "function argument result".
 *
 * build: -O2 -fno-pie -no-pie -fcf-protection=none
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRACED __attribute__((noipa))
#define PROTECTED __attribute__((noipa, optimize("stack-protector-all")))
#define FRAMED __attribute__((noipa, optimize("no-omit-frame-pointer", "stack-protector-all")))

TRACED long other(long n)
{
    return n + 1;
}

/* The result is in another register while the check runs. */
PROTECTED long guarded(long n)
{
    char text[24];

    snprintf(text, sizeof(text), "%ld", n);
    return other(n) * 16 + (long)strlen(text);
}

/* %rbp finds the return address: the size of the frame is not constant. */
FRAMED long framed(long n)
{
    char text[n % 64 + 24];

    memset(text, (int)n, sizeof(text));
    return text[n % 24] + other(n);
}

/* Constants, by early returns. */
TRACED long early(long n)
{
    if (n % 7 == 3)
        return -1;
    if (n % 5 == 2)
        return 0;
    return other(n) ^ 5;
}

/* Both ways of a branch return. */
TRACED long either(long a, long b)
{
    return a > b ? a : b;
}

TRACED unsigned char low_byte(long n)
{
    return other(n) & 0x80 ? (unsigned char)n : 3;
}

TRACED int negative(int n)
{
    return n & 1 ? -n : (int)other(n);
}

TRACED _Bool is_odd(long n)
{
    return other(n) % 2 == 0;
}

/* A loop; what comes after it is straight. */
TRACED long sum_to(long n)
{
    long sum = 0;

    for (long i = 0; i <= n; i++)
        sum += other(i);
    return sum;
}

/* Writes memory after its last branch. */
TRACED long stored(long n, long *to)
{
    if (n % 4 == 1)
        return other(n) + 2;
    *to = n * 2;
    return *to + 1;
}

/* Straight code only: it returns where it is entered. */
TRACED long straight(long n)
{
    return n * 5 + 3;
}

/* Ends with a jump to a function that may return early. */
TRACED long jumps(long n)
{
    return early(n * 3 + 1);
}

/* All conditions. */
#define CONDITION(name, type, op)      \
    TRACED long name(type a, type b)   \
    {                                  \
        if (a op b)                    \
            return other((long)a) + 2; \
        return 77;                     \
    }
CONDITION(less, long, <)
CONDITION(less_equal, long, <=)
CONDITION(below, unsigned long, <)
CONDITION(below_equal, unsigned long, <=)
CONDITION(equal, long, ==)
CONDITION(unequal, long, !=)
CONDITION(greater, long, >)
CONDITION(greater_equal, long, >=)
CONDITION(above, unsigned long, >)
CONDITION(above_equal, unsigned long, >=)

TRACED long is_negative(long n)
{
    if (n - 3 < 0)
        return other(n) + 2;
    return 5;
}

TRACED long overflows(long n)
{
    long product;

    if (__builtin_mul_overflow(n, 1L << 59, &product))
        return 9;
    return other(product) + 2;
}

int main(int argc, char **argv)
{
    long calls = argc > 1 ? atol(argv[1]) : 1, memory;

#define CALL(name, ...) printf(#name " %ld %lx\n", n, (unsigned long)name(__VA_ARGS__))
    for (long n = 0; n < calls; n++) {
        long other_way = n % 3 ? n : -n;

        CALL(guarded, n);
        CALL(framed, n);
        CALL(early, n);
        CALL(either, n, 12);
        CALL(low_byte, n);
        CALL(negative, (int)n);
        CALL(is_odd, n);
        CALL(sum_to, n % 20);
        CALL(stored, n, &memory);
        CALL(straight, n);
        CALL(jumps, n);
        CALL(less, other_way, 5);
        CALL(less_equal, other_way, 5);
        CALL(below, other_way, 5);
        CALL(below_equal, other_way, 5);
        CALL(equal, other_way, 5);
        CALL(unequal, other_way, 5);
        CALL(greater, other_way, 5);
        CALL(greater_equal, other_way, 5);
        CALL(above, other_way, 5);
        CALL(above_equal, other_way, 5);
        CALL(is_negative, n % 7);
        CALL(overflows, n);
    }
    return 0;
}
