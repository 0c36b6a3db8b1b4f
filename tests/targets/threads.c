/*
 * For each line that it reads, starts 8 threads one after another, with the start functions octi()
 * (6 of them) and fest() (2), and prints "done". Ends if the line begins with an e.
 * build: -pthread
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static void *octi(void *unused)
{
    pthread_setname_np(pthread_self(), "octi-worker");
    return unused;
}

static void *fest(void *unused)
{
    return unused;
}

int main(void)
{
    char line[64];

    setvbuf(stdout, NULL, _IONBF, 0);
    puts("ready");
    while (fgets(line, sizeof(line), stdin)) {
        for (int i = 0; i < 8; i++) {
            pthread_t thread;

            pthread_create(&thread, NULL, i % 4 ? octi : fest, NULL);
            pthread_join(thread, NULL);
        }
        puts("done");
        if (line[0] == 'e')
            return 0;
    }
}
