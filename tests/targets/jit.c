/*
 * Works like a JIT compiler: generates a function that calls called_by_jit(), writes the function's
 * name to the perf map /tmp/perf-PID.map, prints that path, and calls the function every 10 ms.
 *
 *     jit [NAME]      the name of the generated function (default "Octi::fest()")
 *
 * build: -fno-omit-frame-pointer
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((noipa)) void called_by_jit(int number)
{
    __asm__ volatile("" ::"r"(number));
}

int main(int argc, char **argv)
{
    /* push %rbp; mov %rsp,%rbp; movabs $called_by_jit,%rax; call *%rax; pop %rbp; ret */
    uint8_t code[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0xb8, 0,    0,    0,
                      0,    0,    0,    0,    0,    0xff, 0xd0, 0x5d, 0xc3};
    void (*function)(void) = (void *)called_by_jit;
    uint8_t *page =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char path[64];
    FILE *map;

    memcpy(code + 6, &function, 8);
    memcpy(page, code, sizeof(code));
    snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
    map = fopen(path, "w");
    if (!map)
        return 1;
    fprintf(map, "%lx %zx %s\n", (unsigned long)page, sizeof(code),
            argc > 1 ? argv[1] : "Octi::fest()");
    fclose(map);
    printf("%s\n", path);
    fflush(stdout);
    for (;;) {
        ((void (*)(void))page)();
        usleep(10000);
    }
}
