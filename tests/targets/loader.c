/*
 * Waits for a line on stdin, loads a library, and calls its plugin_fire() every 10 ms, for ever.
 *
 *     loader memfd|unlinked|file LIBRARY
 *
 * memfd and unlinked: the loaded file is a copy without a path, as libstapsdt creates it.
 *
 * build: -ldl
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void copy(const char *from, int to)
{
    char buffer[65536];
    ssize_t got;
    int in = open(from, O_RDONLY);

    if (in < 0 || to < 0) {
        perror(from);
        exit(1);
    }
    while ((got = read(in, buffer, sizeof(buffer))) > 0) {
        if (write(to, buffer, got) != got)
            exit(1);
    }
    close(in);
}

int main(int argc, char **argv)
{
    char path[64], line[16];
    void (*fire)(const char *, unsigned long);
    void *library;

    if (argc != 3)
        return 2;
    printf("waiting\n");
    fflush(stdout);
    if (!fgets(line, sizeof(line), stdin))
        return 1;

    if (!strcmp(argv[1], "memfd")) {
        int fd = memfd_create("libstapsdt:late", MFD_CLOEXEC);

        copy(argv[2], fd);
        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    } else if (!strcmp(argv[1], "unlinked")) {
        strcpy(path, "/tmp/late-XXXXXX");
        copy(argv[2], mkstemp(path));
    } else {
        snprintf(path, sizeof(path), "%s", argv[2]);
    }
    library = dlopen(path, RTLD_NOW);
    if (!strcmp(argv[1], "unlinked"))
        unlink(path);
    fire = library ? dlsym(library, "plugin_fire") : NULL;
    if (!fire) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    printf("loaded\n");
    fflush(stdout);
    for (unsigned long i = 0;; i++) {
        fire("octi", i);
        usleep(10000);
    }
}
