// pthread_cancel and pthread_exit: the destructors of all frames run, also after a cancelled read().
// build: -pthread
#include "check.h"

#include <atomic>
#include <mutex>

#include <pthread.h>
#include <unistd.h>

namespace {

std::atomic<int> destroyed, inside;
std::mutex locked;
int pipe_ends[2];

struct Counted {
    ~Counted() { destroyed++; }
};

APART ssize_t read_at(int depth)
{
    Counted counted;
    if (depth > 0)
        return read_at(depth - 1) + 1;
    char byte;
    inside++;
    return read(pipe_ends[0], &byte, 1);
}

void *cancelled(void *)
{
    std::lock_guard lock(locked);
    Counted counted;
    read_at(3);
    return nullptr;
}

APART void exit_at(int depth)
{
    Counted counted;
    if (depth == 0)
        pthread_exit(reinterpret_cast<void *>(17));
    exit_at(depth - 1);
    mix(depth);
}

void *exits(void *)
{
    exit_at(4);
    return nullptr;
}

}  // namespace

int main(int argc, char **argv)
{
    if (pipe(pipe_ends) != 0)
        return 1;
    for (int i = 0; i < rounds(argc, argv) * 20; i++) {
        pthread_t thread;
        void *result;
        int before = inside;
        pthread_create(&thread, nullptr, cancelled, nullptr);
        while (inside == before)
            usleep(100);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        mix(result == PTHREAD_CANCELED);
        mix(locked.try_lock());
        locked.unlock();
        pthread_create(&thread, nullptr, exits, nullptr);
        pthread_join(thread, &result);
        mix(reinterpret_cast<uintptr_t>(result));
        mix(destroyed);
    }
    printf("%d destroyed\n", destroyed.load());
    return report("cancel");
}
