/*
 * For each line that it reads, maps memory and unmaps a part of it in every way that the kernel
 * has, and then prints "done". This is what is still mapped when each function has ended:
 *
 *     plain 64K       partial 128K      grown 512K              shrunk 64K
 *     fixed 256K      by_number 96K     covered 64K + 192K      left_to_child 48K
 *     big_malloc 700K, by malloc()      big_realloc 900K, by realloc()
 *     nothing by balanced, halves, grown_and_gone, spanning and failing
 *
 * build: -Wno-unused-result -fno-optimize-sibling-calls
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRACED __attribute__((noipa))
#define KB 1024L

static void *volatile kept[4];

static char *map(void *at, size_t bytes, int flags)
{
    return mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}

TRACED void plain(void)
{
    map(NULL, 64 * KB, 0);
}

TRACED void balanced(void)
{
    for (int i = 0; i < 20; i++)
        munmap(map(NULL, 128 * KB, 0), 128 * KB);
}

TRACED void partial(void)
{
    munmap(map(NULL, 256 * KB, 0) + 64 * KB, 128 * KB);
}

TRACED void halves(void)
{
    char *start = map(NULL, 256 * KB, 0);

    munmap(start, 128 * KB);
    munmap(start + 128 * KB, 128 * KB);
}

TRACED void grown(void)
{
    mremap(map(NULL, 64 * KB, 0), 64 * KB, 512 * KB, MREMAP_MAYMOVE);
}

TRACED void grown_and_gone(void)
{
    munmap(mremap(map(NULL, 64 * KB, 0), 64 * KB, 512 * KB, MREMAP_MAYMOVE), 512 * KB);
}

TRACED void shrunk(void)
{
    mremap(map(NULL, 512 * KB, 0), 512 * KB, 64 * KB, 0);
}

TRACED void fixed(void)
{
    map(map(NULL, 256 * KB, 0), 256 * KB, MAP_FIXED);
}

TRACED void covered(void)
{
    map(map(NULL, 256 * KB, 0), 64 * KB, MAP_FIXED);
}

TRACED void spanning(void)
{
    char *start = map(NULL, 512 * KB, MAP_NORESERVE);

    map(start, 256 * KB, MAP_FIXED);
    map(start + 256 * KB, 256 * KB, MAP_FIXED);
    munmap(start, 512 * KB);
}

TRACED void failing(void)
{
    map(NULL, 0, 0);
    map(NULL, 1L << 62, 0);
    munmap((void *)1, 4096);
}

TRACED void by_number(void)
{
    syscall(SYS_mmap, 0, 96 * KB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

TRACED void big_malloc(void)
{
    kept[0] = malloc(700 * KB);
}

TRACED void big_realloc(void)
{
    kept[1] = realloc(realloc(malloc(300 * KB), 3000 * KB), 900 * KB);
}

TRACED void left_to_child(void)
{
    char *start = map(NULL, 48 * KB, 0);
    pid_t child = fork();

    if (child == 0) {
        munmap(start, 48 * KB);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

int main(void)
{
    char line[16];

    setvbuf(stdout, NULL, _IOLBF, 0);
    puts("ready");
    while (fgets(line, sizeof line, stdin)) {
        plain();
        balanced();
        partial();
        halves();
        grown();
        grown_and_gone();
        shrunk();
        fixed();
        covered();
        spanning();
        failing();
        by_number();
        big_malloc();
        big_realloc();
        left_to_child();
        puts("done");
    }
}
