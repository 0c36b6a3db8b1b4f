/*
 * Starts a program, stops it before its first instruction, so that tests can attach tools to it at
 * that moment, and writes its pid to stderr. SIGCONT continues the program.
 *
 *     starting PROGRAM [ARGUMENT…]
 */
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **arguments)
{
    int status;
    pid_t child;

    if (count < 2)
        return 2;
    child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, 0, 0) == 0)
            execvp(arguments[1], arguments + 1);
        perror(arguments[1]);
        _exit(1);
    }
    /* A traced process first stops after its exec. */
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status) ||
        ptrace(PTRACE_DETACH, child, 0, (void *)SIGSTOP) != 0)
        return 1;
    fprintf(stderr, "%d\n", child);
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
