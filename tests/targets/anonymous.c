/*
 * Has executable memory that belongs to no file on disk, as JIT compilers create it: private,
 * shared and in a memfd. Then prints "ready".
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BYTES = 65536, ALL = PROT_READ | PROT_WRITE | PROT_EXEC };

static int has_code(int flags, int fd)
{
    unsigned char *code = mmap(NULL, BYTES, ALL, flags, fd, 0);

    if (code == MAP_FAILED)
        return 0;
    code[0] = 0xc3;
    return 1;
}

int main(void)
{
    int fd = memfd_create("code", 0);

    if (ftruncate(fd, BYTES) || !has_code(MAP_SHARED, fd) ||
        !has_code(MAP_SHARED | MAP_ANONYMOUS, -1) || !has_code(MAP_PRIVATE | MAP_ANONYMOUS, -1))
        return 1;
    puts("ready");
    fflush(stdout);
    pause();
    return 0;
}
