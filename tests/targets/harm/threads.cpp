// Threads: locks, thread-local variables and the ends of threads.
// build: -pthread
#include "check.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

std::atomic<long> total, ended;
std::once_flag once;

struct AtEnd {
    int value = 0;
    ~AtEnd() { ended += value; }
};
thread_local AtEnd own;

class Queue {
  public:
    APART void put(int value)
    {
        std::lock_guard lock(mutex_);
        values_.push_back(value);
        filled_.notify_one();
    }
    APART int take()
    {
        std::unique_lock lock(mutex_);
        filled_.wait(lock, [this] { return !values_.empty(); });
        int value = values_.front();
        values_.pop_front();
        return value;
    }

  private:
    std::mutex mutex_;
    std::condition_variable filled_;
    std::deque<int> values_;
};

APART long work(int value)
{
    std::map<std::string, std::shared_ptr<long>> made;
    for (int i = 0; i < 5; i++)
        made[std::to_string(value * i % 7)] = std::make_shared<long>(value + i);
    long sum = 0;
    for (auto &[name, number] : made)
        sum += *number * static_cast<long>(name.size()) + name[0];
    return sum;
}

APART void serve(Queue &in, Queue &out)
{
    std::call_once(once, [] { total += 1000; });
    for (int value; (value = in.take()) >= 0;) {
        own.value++;
        total += work(value);
        out.put(value * 2);
    }
}

}  // namespace

int main(int argc, char **argv)
{
    for (int i = 0; i < rounds(argc, argv); i++) {
        Queue in, out;
        std::vector<std::thread> threads;
        for (int n = 0; n < 6; n++)
            threads.emplace_back(serve, std::ref(in), std::ref(out));
        long sum = 0;
        for (int n = 0; n < 200; n++)
            in.put(n);
        for (int n = 0; n < 200; n++)
            sum += out.take();
        for (int n = 0; n < 6; n++)
            in.put(-1);
        for (std::thread &thread : threads)
            thread.join();
        mix(sum);
    }
    mix(total);
    mix(ended);
    return report("threads");
}
