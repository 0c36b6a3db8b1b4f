/*
 * For each line that it reads, starts four threads. Each waits 2500 times for 1 ms, then prints its
 * id and its number of voluntary context switches, as the kernel counts them. At the end of all
 * threads, prints "done".
 *
 * build: -pthread
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *poller(void *nothing)
{
    struct rusage used;

    for (int i = 0; i < 2500; i++)
        poll(NULL, 0, 1);
    getrusage(RUSAGE_THREAD, &used);
    printf("thread %ld %ld\n", syscall(SYS_gettid), used.ru_nvcsw);
    return nothing;
}

int main(void)
{
    pthread_t ids[4];
    char line[16];

    setvbuf(stdout, NULL, _IOLBF, 0);
    puts("ready");
    while (fgets(line, sizeof(line), stdin)) {
        for (int i = 0; i < 4; i++)
            pthread_create(&ids[i], NULL, poller, NULL);
        for (int i = 0; i < 4; i++)
            pthread_join(ids[i], NULL);
        puts("done");
    }
}
