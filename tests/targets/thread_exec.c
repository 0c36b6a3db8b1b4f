/*
 * Prints "ready". For each line that it reads, calls step() ten times and prints "done". For the
 * line "exec", a second thread executes this program again instead.
 *
 * build: -pthread
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

__attribute__((noipa)) void step(int number)
{
    __asm__ volatile("" ::"r"(number));
}

static void *execute(void *name)
{
    execl("/proc/self/exe", name, NULL);
    return NULL;
}

int main(int argc, char **argv)
{
    char line[16];
    pthread_t thread;

    setvbuf(stdin, NULL, _IONBF, 0);
    setvbuf(stdout, NULL, _IOLBF, 0);
    puts("ready");
    while (fgets(line, sizeof line, stdin)) {
        if (strcmp(line, "exec\n") == 0) {
            pthread_create(&thread, NULL, execute, argv[0]);
            pthread_join(thread, NULL);
        }
        for (int i = 0; i < 10; i++)
            step(i);
        puts("done");
    }
    return argc == 0;
}
