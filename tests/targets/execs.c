/*
 * Calls work() twice itself and once in a child process, and then executes PROGRAM.
 *
 *     execs PROGRAM
 *
 * build: -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls
 */
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noipa)) void work(int number)
{
    __asm__ volatile("" ::"r"(number) : "memory");
}

__attribute__((noipa)) void before(int number)
{
    work(number);
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    before(1);
    before(2);
    if (fork() == 0) {
        before(3);
        _exit(0);
    }
    wait(NULL);
    if (argc > 1)
        execv(argv[1], argv + 1);
    return 1;
}
