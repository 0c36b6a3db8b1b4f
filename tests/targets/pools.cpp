// Threads that wait for conditions, one of them for work: "pool" for work, "reply" for an answer
// (three functions deep), "joiner" for the end of another thread, "future" for its result.
// Prints "ready", and ends when its input ends.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <thread>

#include <pthread.h>
#include <unistd.h>

namespace {

constexpr std::chrono::milliseconds moment(10);
std::mutex mutex;
std::condition_variable work, answer;
unsigned jobs = 0;
volatile unsigned done = 0;  // keeps the compiler from making tail calls

[[gnu::noinline]] void await_reply()
{
    std::unique_lock lock(mutex);
    answer.wait_for(lock, moment);
    done = done + 1;
}
[[gnu::noinline]] void query()
{
    await_reply();
    done = done + 1;
}
[[gnu::noinline]] void handle()
{
    query();
    done = done + 1;
}

void pool()
{
    std::unique_lock lock(mutex);
    work.wait(lock, [] { return jobs != 0; });
    jobs--;
}

void join()
{
    std::thread([] { std::this_thread::sleep_for(moment); }).join();
}

void get()
{
    std::async(std::launch::async, [] { std::this_thread::sleep_for(moment); }).get();
}

void start(const char *name, void (*action)())
{
    std::thread([=] {
        pthread_setname_np(pthread_self(), name);
        for (;;)
            action();
    }).detach();
}

}  // namespace

int main()
{
    start("pool", pool);
    start("reply", handle);
    start("joiner", join);
    start("future", get);
    start("feeder", [] {
        std::this_thread::sleep_for(moment);
        std::lock_guard lock(mutex);
        jobs++;
        work.notify_one();
    });
    puts("ready");
    fflush(stdout);
    char byte;
    while (read(STDIN_FILENO, &byte, 1) > 0) {
    }
    _exit(0);
}
