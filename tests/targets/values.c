/*
 * Calls functions with known arguments, for the tests of values, formats and conditions.
 *
 *     values [ROUNDS]      calls all functions in order, ROUNDS times (default 1)
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#ifdef __clang__
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noipa))
#endif

struct point {
    short x, y;
};

struct node {
    struct node *next;
    const char *name;
    int value;
    unsigned low : 3, high : 5;
    struct point at;
    unsigned char bytes[4];
    const char *words[3];
    char inside[8];
    double ratio;
    union {
        uint64_t raw;
        int32_t half;
    };
};

KEPT int sum(int a, int b)
{
    return a + b;
}

/* Six arguments are passed in registers, the others on the stack. */
KEPT long twelve(long a, int b, short c, signed char d, unsigned e, unsigned long f, long g, int h,
                 short i, signed char j, unsigned k, const char *l)
{
    return a + b + c + d + e + f + g + h + i + j + k + l[0];
}

KEPT int mixed(double ratio, int number, float other, const char *name)
{
    return number + (int)ratio + (int)other + name[0];
}

KEPT size_t show(const char *text, size_t length)
{
    return text ? length : 0;
}

KEPT int visit(struct node *node)
{
    return node ? node->value : 0;
}

KEPT const char *name_of(int number)
{
    static const char *const names[] = {"zero", "one", "two"};

    return names[number];
}

KEPT int factorial(int n)
{
    int product = n <= 1 ? 1 : n * factorial(n - 1);

    __asm__ volatile("" : "+r"(product)); /* or it becomes a loop */
    return product;
}

struct pair {
    long first, second;
};

KEPT struct pair make_pair(int number)
{
    return (struct pair){number, -number};
}

KEPT double halve(int number)
{
    return number / 2.0;
}

KEPT struct node *next_node(struct node *node)
{
    return node->next;
}

KEPT void nothing(void)
{
    __asm__ volatile("");
}

KEPT ssize_t put(int fd, const void *data, size_t size)
{
    return fd < 0 ? -1 : (ssize_t)size + !data;
}

static char long_text[70001];

static void round_of_calls(void)
{
    static struct node second = {NULL, "second", -2, 0, 0, {0, 0}, {0}, {NULL}, "", 0, {0}};
    static struct node first = {&second,
                                "first",
                                42,
                                5,
                                21,
                                {-3, 4},
                                {1, 2, 3, 255},
                                {"un", "deux", "trois"},
                                "eightbyt",
                                2.5,
                                {0xfedcba9876543210}};
    void *hole = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    sum(7, -9);
    sum(-2147483647, 3);
    twelve(-1, -2, -3, -4, 4000000000u, 6, -7, -8, -9, -10, 11, "twelve");
    mixed(1.5, 17, 2.5f, "mixed");
    show("octi", 4);
    show("octifest", 8);
    show("oct", 3);
    show("", 0);
    show("with\0nul", 8);
    show("tab\there\nback\\slash \033[31mred\a \xc3\xa4 \xff\x80 \xe2\x80\xae \xc2\x9b", 40);
    show(long_text, sizeof(long_text) - 1);
    show(NULL, 5);
    show((const char *)1, 5);
    show(hole, 5);
    visit(&first);
    visit(NULL);
    name_of(0);
    name_of(2);
    factorial(5);
    make_pair(7);
    halve(3);
    next_node(&first);
    nothing();
    put(-1, "abc", 3);
    put(2, "abcdef", 6);
    munmap(hole, 4096);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1;

    for (size_t i = 0; i < sizeof(long_text) - 1; i++)
        long_text[i] = 'a' + i % 26;
    puts("ready");
    fflush(stdout);
    for (int i = 0; i < rounds; i++)
        round_of_calls();
    return 0;
}
