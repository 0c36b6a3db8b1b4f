/*
 * Stops itself, and executes its arguments when it is let go on: a tool can be attached to the process before the
 * program begins. It shares no code with that program, so that it is not traced itself.
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
