/*
 * Functions that end in the unusual ways that compilers generate: tail calls, jump tables, computed
 * goto, cold parts, noreturn; also variadic functions, frames of variable size, results in
 * registers of all kinds, and nested functions (for which the linker must make the stack
 * executable).
 * build: -fno-ipa-ra -Wl,-z,execstack -lm
 */
#include "check.h"

#include <alloca.h>
#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

// --- tail calls ---
APART static long tail_b(long n, long sum);
APART static long tail_a(long n, long sum)
{
    return n == 0 ? sum : tail_b(n - 1, sum + n);
}
APART static long tail_b(long n, long sum)
{
    return n == 0 ? -sum : tail_a(n - 1, sum ^ n);
}
APART static long self_tail(long n, long sum)
{
    return n == 0 ? sum : self_tail(n - 1, sum * 3 + n);
}
static long (*volatile pointed)(long, long) = self_tail;
APART static long tail_by_pointer(long n)
{
    return pointed(n, 1);
}
APART static size_t tail_into_library(const char *text)
{
    return strlen(text + 1);
}

// --- tables ---
APART static int by_table(int n)
{
    switch (n) {
    case 0:
        return 7;
    case 1:
        return self_tail(2, 1);
    case 2:
        mix(n);
        return 3;
    case 3:
        return n * 11;
    case 4:
        return tail_into_library("abcd");
    case 5:
        return 42;
    case 6:
        return -n;
    case 7:
        mix(9); /* fall through */
    case 8:
        return 13;
    default:
        return n ^ 5;
    }
}

APART static long interpret(const unsigned char *code)
{
    static const void *const labels[] = {&&add, &&multiply, &&jump, &&end};
    long value = 1;

    goto *labels[*code++];
add:
    value += *code++;
    goto *labels[*code++];
multiply:
    value = value * *code++ % 10007;
    goto *labels[*code++];
jump:
    code += value % 2 ? 0 : *code;
    code++;
    goto *labels[*code++];
end:
    return value;
}

// --- cold parts, noreturn ---
static jmp_buf back;
__attribute__((noreturn)) APART static void never_returns(int value)
{
    mix(value);
    longjmp(back, value + 1);
}
__attribute__((cold)) APART static int rare(int value)
{
    mix(value * 77);
    return value;
}
APART static int mostly_hot(int value)
{
    if (__builtin_expect(value % 17 == 0, 0)) {
        rare(value);
        if (value % 34 == 0)
            never_returns(value);
        return rare(value + 1) + 2;
    }
    return value * 2;
}

// --- frames and results ---
APART static long variadic(int count, ...)
{
    va_list list;
    double sum = 0;

    va_start(list, count);
    for (int i = 0; i < count; i++)
        sum += i % 2 ? va_arg(list, double) : va_arg(list, int);
    va_end(list);
    return (long)(sum * 8);
}
APART static int variable_frame(int n)
{
    char *room = alloca(n * 16 + 1);
    int array[n + 1], sum = 0;

    memset(room, n, n * 16 + 1);
    for (int i = 0; i <= n; i++)
        array[i] = room[i * 16 % (n * 16 + 1)] + i;
    for (int i = 0; i <= n; i++)
        sum += array[i];
    return sum;
}
struct large {
    long values[6];
};
APART static struct large in_memory(long n)
{
    struct large result;

    for (int i = 0; i < 6; i++)
        result.values[i] = n * i;
    return result;
}
struct pair {
    long a;
    double b;
};
APART static struct pair in_two_registers(long n)
{
    return (struct pair){n + 1, n / 4.0};
}
APART static long double on_x87(long double x)
{
    return x * 1.25L + 3;
}
APART static double complex as_complex(double x)
{
    return x + 2 * x * I;
}
APART static __int128 as_128(long x)
{
    return (__int128)x * x * x * 1000003;
}
typedef int vector __attribute__((vector_size(16)));
APART static vector as_vector(vector a, vector b)
{
    return a * b + a;
}
APART static float as_float(float a, float b, float c, float d, float e, float f, float g, float h,
                            float i, float j)
{
    return a - b + c * d - e + f * g - h + i * j;
}
APART static _Bool as_bool(long a)
{
    return a & 4;
}

#if !defined(__clang__) && !defined(SPLIT_STACKS)  // split stacks are not executable
// The address of the nested function add() is that of code on the stack, which jumps to add().
APART static long apply(long (*function)(long), long n)
{
    return function(n) + function(n + 1);
}
APART static long nested(long n)
{
    long sum = n;
    long add(long value)
    {
        sum += value;
        return sum;
    }
    return apply(add, n * 3);
}
#endif

static void all(int n)
{
    static const unsigned char code[] = {0, 5, 1, 7, 2, 0, 0, 3, 1, 9,
                                         0, 1, 2, 1, 0, 0, 3, 3, 3, 3};

    mix(tail_a(n, 1));
    mix(tail_b(n + 3, n));
    mix(tail_by_pointer(n));
    mix(tail_into_library("tail calls"));
    mix(by_table(n % 11));
    mix(interpret(code));
    mix(variadic(6, n, 2.5, 3, 4.5, 5, 6.5));
    mix(variable_frame(n));
    mix(in_memory(n).values[5]);
    mix((long)(in_two_registers(n).b * 8) + in_two_registers(n).a);
    mix((long)(on_x87(n) * 16));
    mix((long)(cimag(as_complex(n)) + creal(as_complex(n))));
    mix((long)(as_128(n) >> 3));
    vector v = as_vector((vector){n, 2, 3, n}, (vector){5, n, 7, 8});
    mix(v[0] + v[1] * 3 + v[2] * 5 + v[3] * 7);
    mix((long)(as_float(n, 2, 3, 4, 5, 6, 7, 8, n, 10) * 4));
    mix(as_bool(n));
#if !defined(__clang__) && !defined(SPLIT_STACKS)
    mix(nested(n));
#endif
    if (setjmp(back) == 0)
        mix(mostly_hot(n));
}

int main(int argc, char **argv)
{
    for (int i = 0; i < rounds(argc, argv); i++)
        for (int n = 0; n < 40; n++)
            all(n);
    return report("leaving");
}
