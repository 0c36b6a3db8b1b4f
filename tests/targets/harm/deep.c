/*
 * Recursion 100,000 deep, straight, mutual and through a library's callback.
 */
#include "check.h"

#include <search.h>
#include <sys/resource.h>

APART static long down(long depth)
{
    return depth == 0 ? 1 : down(depth - 1) + (depth & 3);
}

APART static long odd(long depth);
APART static long even(long depth)
{
    return depth == 0 ? 0 : odd(depth - 1) + 2;
}

APART static long odd(long depth)
{
    return depth == 0 ? 1 : even(depth - 1) * 3 % 1000003 + 1;
}

static int level;
APART static int compare(const void *a, const void *b)
{
    if (level < 70) {
        int values[] = {3, 1, 2};

        level++;
        qsort(values, 3, sizeof(int), compare);
        mix(values[0]);
    }
    return *(const int *)a - *(const int *)b;
}

int main(int argc, char **argv)
{
    for (int i = 0; i < rounds(argc, argv); i++) {
        int values[] = {9, 4, 7};

        mix(down(100000));
        for (int depth = 60; depth < 70; depth++)
            mix(down(depth));
        mix(even(20000));
        level = 0;
        qsort(values, 3, sizeof(int), compare);
        mix(values[2]);
    }
    return report("deep");
}
