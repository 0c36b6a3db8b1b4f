/*
 * Starts three processes, prints "SENDER RECEIVER MEMBER MEMBER" (pids; the sender is this
 * process), and sends signals in the ways that its arguments name, one after another:
 *
 *     signals STEP…
 *
 * The receiver handles SIGUSR1 and SIGRTMIN+3, and ignores SIGUSR2. The two members are a process
 * group, whose number is the first one's pid; they handle SIGUSR1. The step "wait" reads a byte. At
 * the end, all three are killed.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void take(int signal)
{
    (void)signal;
}

/* Starts a process that handles signals until it is killed; returns when its handlers are set. */
static pid_t start(pid_t group)
{
    int ready[2];
    char byte;
    pid_t pid;

    if (pipe(ready) || (pid = fork()) < 0)
        exit(1);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setpgid(0, group);
        signal(SIGUSR1, take);
        signal(SIGUSR2, SIG_IGN);
        signal(SIGRTMIN + 3, take);
        if (write(ready[1], "", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    if (read(ready[0], &byte, 1) != 1)
        exit(1);
    return pid;
}

static void crash(int how)
{
    pid_t pid = fork();

    if (pid == 0) {
        int ends[2];

        if (how == SIGSEGV)
            *(volatile int *)8 = 0;
        if (how == SIGALRM) {
            alarm(1);
            pause();
        }
        if (pipe(ends))
            _exit(1);
        close(ends[0]);
        if (write(ends[1], "", 1))
            _exit(1);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
}

/* Reads only one byte, because other processes may read from the same pipe. */
static void read_byte(void)
{
    char byte;
    while (read(0, &byte, 1) < 0)
        ;
}

int main(int argc, char **argv)
{
    pid_t receiver = start(-1), one = start(0), two = start(one), self = getpid();
    int pidfd = syscall(SYS_pidfd_open, receiver, 0);
    siginfo_t info = {.si_code = SI_QUEUE};

    printf("%d %d %d %d\n", self, receiver, one, two);
    fflush(stdout);
    for (int i = 1; i < argc; i++) {
        const char *step = argv[i];

        if (!strcmp(step, "wait"))
            read_byte();
        else if (!strcmp(step, "kill"))
            kill(receiver, SIGUSR1);
        else if (!strcmp(step, "tkill"))
            syscall(SYS_tkill, receiver, SIGUSR1);
        else if (!strcmp(step, "tgkill"))
            syscall(SYS_tgkill, receiver, receiver, SIGUSR1);
        else if (!strcmp(step, "rt_sigqueueinfo"))
            syscall(SYS_rt_sigqueueinfo, receiver, SIGUSR1, &info);
        else if (!strcmp(step, "rt_tgsigqueueinfo"))
            syscall(SYS_rt_tgsigqueueinfo, receiver, receiver, SIGUSR1, &info);
        else if (!strcmp(step, "pidfd_send_signal"))
            syscall(SYS_pidfd_send_signal, pidfd, SIGUSR1, NULL, 0);
        else if (!strcmp(step, "real-time"))
            kill(receiver, SIGRTMIN + 3);
        else if (!strcmp(step, "ignored"))
            kill(receiver, SIGUSR2);
        else if (!strcmp(step, "zero"))
            kill(receiver, 0);
        else if (!strcmp(step, "group"))
            kill(-one, SIGUSR1);
        else if (!strcmp(step, "nobody"))
            kill(0x3fffffff, SIGTERM);
        else if (!strcmp(step, "not-allowed"))
            kill(1, 0);
        else if (!strcmp(step, "no-pidfd"))
            syscall(SYS_pidfd_send_signal, 99, SIGUSR1, NULL, 0);
        else if (!strcmp(step, "no-signal"))
            kill(receiver, 65);
        else if (!strcmp(step, "segv"))
            crash(SIGSEGV);
        else if (!strcmp(step, "pipe"))
            crash(SIGPIPE);
        else if (!strcmp(step, "alarm"))
            crash(SIGALRM);
        else
            return 2;
    }
    kill(receiver, SIGKILL);
    kill(one, SIGKILL);
    kill(two, SIGKILL);
    return 0;
}
