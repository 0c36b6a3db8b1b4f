/*
 * Stops itself with SIGSTOP, and executes the program of its arguments when it is continued. So
 * tools can attach to the process before the program begins. Linked statically, so that it shares
 * no code with that program, and probes on that program's files do not trace it.
 * build: -static
 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    raise(SIGSTOP);
    execvp(argv[1], argv + 1);
    perror(argv[1]);
    return 127;
}
