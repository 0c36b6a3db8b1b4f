/*
 * For each line that it reads, waits in known ways for about a second, and then prints "done". Each
 * way has a thread of that name:
 *
 *     sleeper   100 times 10 ms in clock_nanosleep
 *     locked    10 times 100 ms for a lock that the thread `locker` holds; prints how many of these
 *               waits took at least 50 ms and at least 60 ms by its own clock
 *     reader    10 times 100 ms in read from a pipe, to which the thread `writer` writes
 *     poller    10 times 100 ms in poll
 *
 * build: -pthread -fno-omit-frame-pointer -fno-optimize-sibling-calls
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define KEPT __attribute__((noipa))

static int pipes[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;

KEPT static void wait_ms(long ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};

    nanosleep(&time, NULL);
    __asm__ volatile("");
}

KEPT static void *sleeper(void *nothing)
{
    for (int i = 0; i < 100; i++)
        wait_ms(10);
    return nothing;
}

KEPT static void *locker(void *nothing)
{
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&lock);
        pthread_barrier_wait(&both);
        wait_ms(100);
        pthread_mutex_unlock(&lock);
        pthread_barrier_wait(&both);
    }
    return nothing;
}

static long now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

KEPT static void *locked(void *nothing)
{
    int of_50_ms = 0, of_60_ms = 0;

    for (int i = 0; i < 10; i++) {
        long begin;

        pthread_barrier_wait(&both);
        begin = now_ms();
        pthread_mutex_lock(&lock);
        of_50_ms += now_ms() - begin >= 50;
        of_60_ms += now_ms() - begin >= 60;
        pthread_mutex_unlock(&lock);
        pthread_barrier_wait(&both);
    }
    printf("locked %d %d\n", of_50_ms, of_60_ms);
    return nothing;
}

KEPT static void *writer(void *nothing)
{
    for (int i = 0; i < 10; i++) {
        wait_ms(100);
        if (write(pipes[1], "x", 1) != 1)
            break;
    }
    return nothing;
}

KEPT static void *reader(void *nothing)
{
    char byte;

    for (int i = 0; i < 10; i++) {
        if (read(pipes[0], &byte, 1) != 1)
            break;
    }
    return nothing;
}

KEPT static void *poller(void *nothing)
{
    for (int i = 0; i < 10; i++)
        poll(NULL, 0, 100);
    return nothing;
}

struct thread {
    void *(*run)(void *);
    const char *name;
};

static void *start(void *thread)
{
    const struct thread *own = thread;

    pthread_setname_np(pthread_self(), own->name);
    return own->run(NULL);
}

int main(void)
{
    static const struct thread threads[] = {{sleeper, "sleeper"}, {locker, "locker"},
                                            {locked, "locked"},   {writer, "writer"},
                                            {reader, "reader"},   {poller, "poller"}};
    enum { THREADS = sizeof(threads) / sizeof(*threads) };
    pthread_t ids[THREADS];
    char line[16];

    setvbuf(stdout, NULL, _IONBF, 0);
    if (pipe(pipes) || pthread_barrier_init(&both, NULL, 2))
        return 1;
    puts("ready");
    while (fgets(line, sizeof(line), stdin)) {
        for (int i = 0; i < THREADS; i++)
            pthread_create(&ids[i], NULL, start, (void *)&threads[i]);
        for (int i = 0; i < THREADS; i++)
            pthread_join(ids[i], NULL);
        puts("done");
    }
}
