/*
 * Passes pointers to pages that no code has accessed yet: those of a mapped file, and of a large
 * constant array.
 *
 *     untouched FILE      reads a line, then makes the calls; FILE has a text at offset 65536
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sdt.h>
#include <unistd.h>

#ifdef __clang__
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noipa))
#endif

#define FAR (1 << 20)
#define PAGES(n) [n * 65536] = 'p', 'a', 'g', 'e', ' ', '0' + n

/* Each constant has a page of its own, which is read from the file only at the first access. */
static const char large[FAR] = {PAGES(1), PAGES(3), PAGES(5), PAGES(7)};

KEPT void pass(const char *what, const char *text, const int *number)
{
    STAP_PROBE3(untouched, pass, what, text, number);
    __asm__ volatile("" ::"r"(text), "r"(number));
}

int main(int argc, char **argv)
{
    char line[8];
    int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
    const char *file = mmap(NULL, FAR, PROT_READ, MAP_PRIVATE, fd, 0);

    if (fd < 0 || file == MAP_FAILED)
        return 1;
    madvise((void *)file, FAR, MADV_RANDOM);
    madvise((void *)large, FAR, MADV_RANDOM);
    puts("ready");
    fflush(stdout);
    if (!fgets(line, sizeof(line), stdin))
        return 1;
    pass("file", file + 65536, (const int *)(file + 131072));
    pass("constant", large + 3 * 65536, (const int *)(large + 5 * 65536));
    pass("beyond", file + FAR - 4096, NULL); /* after the end of the file */
    return 0;
}
