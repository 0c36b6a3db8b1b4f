/*
 * Loads a library, calls it and unloads it, again and again, so that it is mapped and unmapped
 * while it is traced.
 * build: -ldl
 */
#define _GNU_SOURCE
#include "check.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

APART static int use(const char *path, int n)
{
    void *library = dlopen(path, n % 2 ? RTLD_LAZY : RTLD_NOW), *mine;
    int (*loaded)(int), sum = 0;

    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    loaded = (int (*)(int))dlsym(library, "loaded");
    for (int i = 0; i < 5; i++)
        sum += loaded(n + i);
    // Own memory, which may be mapped next to the library. Unloading a traced library must not
    // change it.
    mine = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(mine, 0x55, 65536);
    dlclose(library);
    for (int i = 0; i < 65536; i += 4096)
        sum += ((char *)mine)[i];
    munmap(mine, 65536);
    return sum;
}

int main(int argc, char **argv)
{
    char path[4096] = "";
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 10);

    strcpy(memrchr(path, '/', length) + 1, "loaded");
    for (int i = 0; i < rounds(argc, argv); i++)
        for (int n = 0; n < 20; n++)
            mix(use(path, n));
    return report("loading");
}
