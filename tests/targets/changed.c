/*
 * Replaces code of its file in memory:
 *
 *     changed hook     overwrites the beginning of first() with a jump, as hooking libraries do, and
 *                      then calls first()
 *     changed copy     replaces the mapping of its code by anonymous memory with the same code, as
 *                      programs do that want huge pages, and then calls second()
 *
 * Prints "ready" when the code is replaced, waits for a line, makes 60 calls, prints the sum of
 * their results, and waits for another line.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define KEPT __attribute__((noipa))
#define PAGE 4096UL

KEPT int first(int x)
{
    volatile int box[20];

    box[x & 15] = x;
    return box[x & 15] * 3 + 1;
}

KEPT int second(int x)
{
    volatile int box[20];

    box[x & 15] = x;
    return box[x & 15] + 1000;
}

static void hook(void)
{
    unsigned char jump[5] = {0xe9};
    uintptr_t from = (uintptr_t)first, page = from & ~(PAGE - 1);
    int32_t distance = (int32_t)((uintptr_t)second - (from + sizeof(jump)));

    memcpy(jump + 1, &distance, sizeof(distance));
    mprotect((void *)page, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
    memcpy((void *)from, jump, sizeof(jump));
    mprotect((void *)page, 2 * PAGE, PROT_READ | PROT_EXEC);
}

/*
 * Maps the copy over the code that is running. This works because the code of mremap() is in the C
 * library, which is not replaced.
 */
static void move(char *copy, size_t length, char *to)
{
    mremap(copy, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, to);
}

static void copy_code(void)
{
    unsigned long start = 0, end = 0, from, to;
    char line[512], rights[8];
    FILE *maps = fopen("/proc/self/maps", "r");

    while (fgets(line, sizeof(line), maps))
        if (sscanf(line, "%lx-%lx %7s", &from, &to, rights) == 3 && rights[2] == 'x' &&
            from <= (uintptr_t)second && (uintptr_t)second < to)
            start = from, end = to;
    fclose(maps);
    char *copy =
        mmap(NULL, end - start, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(copy, (void *)start, end - start);
    mprotect(copy, end - start, PROT_READ | PROT_EXEC);
    move(copy, end - start, (char *)start);
}

int main(int count, char **words)
{
    int (*called)(int) = first;
    char line[64];
    long sum = 0;

    if (count > 1 && !strcmp(words[1], "hook")) {
        hook();
    } else {
        copy_code();
        called = second;
    }
    puts("ready");
    fflush(stdout);
    if (!fgets(line, sizeof(line), stdin))
        return 1;
    for (int i = 0; i < 60; i++)
        sum += called(i);
    printf("sum=%ld\n", sum);
    fflush(stdout);
    return fgets(line, sizeof(line), stdin) == NULL;
}
