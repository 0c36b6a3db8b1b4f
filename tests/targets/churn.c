/*
 * Starts threads or processes that end in the middle of their work:
 *
 *     churn WORK…
 *
 * For each line "threads N" or "processes N" on stdin, starts N of them, one after another, and
 * then prints "done". Each does every WORK, but ends before the work is complete. For a line "calls
 * N", the main thread does every WORK N times, and completes it.
 *
 *     stay    calls stay(), which ends the thread
 *     perl    fires Perl's USDT probes: the entry of "outer", then entry and return of "leaf"; the
 *             return of "outer" only if the work is completed. If this is the first WORK, the main
 *             thread also fires the entry of "line" before each line, and its return after it
 *     node    fires the USDT probes of Node.js for a garbage collection; the end only if completed
 *     read    reads one byte
 *     kill    sends signal 0 to the process
 *
 * build: -pthread
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sdt.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char **work;
static int zero;

__attribute__((noipa)) int stay(int number, int returns)
{
    if (!returns)
        syscall(SYS_exit, 0); /* of the thread, at once */
    return number + 1;
}

static void do_work(const char *what, int returns)
{
    char byte;

    if (strcmp(what, "stay") == 0) {
        stay(1, returns);
    } else if (strcmp(what, "perl") == 0) {
        STAP_PROBE4(perl, sub__entry, "outer", "x.pl", 7, "Octi");
        STAP_PROBE4(perl, sub__entry, "leaf", "x.pl", 3, "Octi");
        STAP_PROBE4(perl, sub__return, "leaf", "x.pl", 3, "Octi");
        if (returns)
            STAP_PROBE4(perl, sub__return, "outer", "x.pl", 7, "Octi");
    } else if (strcmp(what, "node") == 0) {
        STAP_PROBE3(node, gc__start, 1, 0, NULL);
        if (returns)
            STAP_PROBE3(node, gc__done, 1, 0, NULL);
    } else if (strcmp(what, "read") == 0) {
        if (read(zero, &byte, 1) != 1)
            abort();
    } else if (strcmp(what, "kill") == 0) {
        kill(getpid(), 0);
    }
}

static void *end_in_work(void *unused)
{
    for (char **one = work; *one; one++)
        do_work(*one, 0);
    return unused;
}

static int run_process(void *unused)
{
    end_in_work(unused);
    _exit(0);
}

static void run_one(const char *kind)
{
    static char stack[1 << 16] __attribute__((aligned(16)));
    pthread_t thread;

    if (strcmp(kind, "calls") == 0) {
        for (char **one = work; *one; one++)
            do_work(*one, 1);
    } else if (strcmp(kind, "threads") == 0) {
        if (pthread_create(&thread, NULL, end_in_work, NULL) != 0)
            abort();
        pthread_join(thread, NULL);
    } else { /* the process shares our memory: starting it takes a tenth of the time */
        pid_t pid =
            clone(run_process, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);

        if (pid < 0 || waitpid(pid, NULL, 0) != pid)
            abort();
    }
}

int main(int argc, char **argv)
{
    char kind[16];
    int count;

    (void)argc;
    setvbuf(stdout, NULL, _IONBF, 0);
    zero = open("/dev/zero", O_RDONLY);
    work = argv + 1;
    puts("ready");
    while (*work && scanf("%15s %d", kind, &count) == 2) {
        if (strcmp(work[0], "perl") == 0)
            STAP_PROBE4(perl, sub__entry, "line", "x.pl", 1, "Octi");
        for (int i = 0; i < count; i++)
            run_one(kind);
        if (strcmp(work[0], "perl") == 0)
            STAP_PROBE4(perl, sub__return, "line", "x.pl", 1, "Octi");
        puts("done");
    }
    return 0;
}
