/*
 * Calls functions as fast as it can, and prints the nanoseconds per call in the fastest round.
 *
 *     flood-values text|chars|pair CALLS ROUNDS
 *
 * text: flood_text(int, long, std::string const&); chars: the same with a char pointer; pair: one
 * call of flood_begin() and one of flood_end(). The text has 80 bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* flood.c explains the attributes. */
#define ENTRY __attribute__((noipa, patchable_function_entry(1)))

/* As libstdc++ has it; the function's name is the mangled one of C++. */
struct string {
    const char *text;
    size_t length;
    char inside[16];
};

ENTRY long flood_text(int number, long value, const struct string *text) __asm__(
    "_Z10flood_textilRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE");
ENTRY long flood_text(int number, long value, const struct string *text)
{
    return number + value + text->text[0];
}

ENTRY long flood_chars(int number, long value, const char *text)
{
    return number + value + text[0];
}

ENTRY long flood_begin(long key)
{
    return key;
}

ENTRY long flood_end(long key)
{
    return key;
}

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e9 + now.tv_nsec;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: flood-values text|chars|pair CALLS ROUNDS\n");
        return 2;
    }
    long calls = atol(argv[2]), rounds = atol(argv[3]);
    char text[81];
    struct string string = {.text = text, .length = 80};
    double best = 0;
    volatile long sum = 0;

    memset(text, 'x', 80);
    text[80] = 0;
    for (long round = 0; round < rounds; round++) {
        double start = now_ns();
        for (long i = 0; i < calls; i++) {
            if (argv[1][0] == 't')
                sum += flood_text(i, 181, &string);
            else if (argv[1][0] == 'c')
                sum += flood_chars(i, 181, text);
            else
                sum += flood_begin(i) + flood_end(i);
        }
        double cost = (now_ns() - start) / calls;
        if (round == 0 || cost < best)
            best = cost;
    }
    printf("%.2f\n", best);
    return 0;
}
