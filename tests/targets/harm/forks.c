/*
 * Starts processes in every way: fork, vfork, posix_spawn, clone with shared memory, popen, and a
 * process that executes its own program again.
 */
#define _GNU_SOURCE
#include "check.h"

#include <sched.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int waited(pid_t child)
{
    int status = -1;

    waitpid(child, &status, __WALL);
    return status;
}

APART static int leaf(int value)
{
    return value * 3 + 1;
}

APART static int forked(int value)
{
    pid_t child = fork();

    if (child == 0)
        _exit(leaf(value) & 127);
    return waited(child);
}

// vfork() returns in the child first, which runs on its parent's stack, and then in the parent.
APART static int vforked(int value, char **words)
{
    pid_t child = vfork();

    if (child == 0) {
        if (value % 2)
            execve(words[0], words, environ);
        _exit(value & 127);
    }
    return waited(child);
}

APART static int spawned(char **words)
{
    pid_t child = 0;

    return posix_spawn(&child, words[0], NULL, NULL, words, environ) ? -1 : waited(child);
}

static int shared;
static int in_clone(void *value)
{
    shared += leaf((int)(intptr_t)value);
    return shared & 63;
}

APART static int cloned(int value)
{
    static char stack[65536] __attribute__((aligned(16)));

    return waited(
        clone(in_clone, stack + sizeof(stack), CLONE_VM | SIGCHLD, (void *)(intptr_t)value));
}

APART static int piped(const char *path)
{
    char command[4200], line[100] = "";
    FILE *pipe;

    snprintf(command, sizeof(command), "'%s' child 5", path);
    pipe = popen(command, "r");
    if (!fgets(line, sizeof(line), pipe))
        return -1;
    return pclose(pipe) + atoi(line);
}

int main(int argc, char **argv)
{
    char path[4096] = "", *words[] = {path, "child", "3", NULL};

    if (argc > 2) {
        printf("%d\n", leaf(atoi(argv[2])));
        return leaf(atoi(argv[2]));
    }
    if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
        return 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 0; i < rounds(argc, argv) * 3; i++) {
        mix(forked(i));
        mix(vforked(i, words));
        mix(spawned(words));
        mix(cloned(i));
        mix(piped(path));
        mix(shared);
    }
    report("forks");
    fflush(stdout);
    execve(path, words, environ);
    return 1;
}
