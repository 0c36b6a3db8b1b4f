// Calls here() in many ways, from code without frame pointers. here() takes its stack with the C
// library's backtrace(). At the end, prints how often each stack occurred: "COUNT ADDRESS ...", the
// caller first.
//
//     own-stack N     N rounds in each of two threads
//
// build: -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -pthread -fno-inline
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <alloca.h>
#include <execinfo.h>

namespace {

std::mutex mutex;
std::map<std::vector<void *>, long> stacks;
volatile int sink;

}  // namespace

// The function that tests probe. noipa: it must not be inlined or merged with another function.
extern "C" __attribute__((noipa)) void here(int number)
{
    void *addresses[130];
    int count = backtrace(addresses, 130);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    {
        std::lock_guard<std::mutex> lock(mutex);
        stacks[std::vector<void *>(addresses + 1, addresses + count)]++;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    sink = number;
}

namespace {

#define KEPT __attribute__((noipa))

KEPT void recursion(int depth)
{
    char text[64];
    snprintf(text, sizeof(text), "%d", depth);
    if (depth == 0)
        here(int(strlen(text)));
    else
        recursion(depth - 1);
    sink = text[0];
}

KEPT void large_frame(int number)
{
    volatile char bytes[12000];
    bytes[number] = 1;
    here(bytes[number]);
    sink = bytes[number];
}

KEPT void variable_frame(int number)
{
    auto *bytes = static_cast<volatile char *>(alloca(size_t(number) * 100 + 1));
    bytes[0] = 1;
    here(bytes[0]);
    sink = bytes[0];
}

// The function aligns its stack and allocates a variable size. So its frame is found only by a
// register, which the frame itself has saved.
KEPT void realigned_frame(int number)
{
    alignas(128) volatile char aligned[256];
    auto *bytes = static_cast<volatile char *>(alloca(size_t(number) * 10 + 1));
    bytes[0] = 1;
    aligned[number] = 1;
    recursion(number % 3);
    sink = aligned[number] + bytes[0];
}

KEPT int compare(const void *a, const void *b)
{
    here(1);
    return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}

KEPT void from_the_library(int number)
{
    int values[] = {number, 3, 1, 2};
    qsort(values, 4, sizeof(values[0]), compare);
    sink = values[0];
}

struct Shape {
    virtual ~Shape() = default;
    virtual void draw(int number) = 0;
};
struct Circle : Shape {
    void draw(int number) override
    {
        recursion(number % 5);
        sink = number;
    }
};
struct Group : Shape {
    std::vector<std::unique_ptr<Shape>> shapes;
    void draw(int number) override
    {
        for (auto &shape : shapes)
            shape->draw(number);
        sink = number;
    }
};

KEPT void thrower(int number)
{
    std::string text(size_t(number) + 20, 'x');
    here(number);
    if (number >= 0)
        throw std::runtime_error(text);
    sink = number;
}

struct AtTheEnd {
    ~AtTheEnd() noexcept(false) { here(2); }
};

KEPT void catcher(int number)
{
    try {
        AtTheEnd end;
        thrower(number);
    } catch (const std::exception &error) {
        here(error.what()[0]);
    }
    sink = number;
}

KEPT void handler(int)
{
    recursion(2);
    sink = 0;
}

KEPT void from_a_signal(int number)
{
    if (number % 10 == 0)
        raise(SIGUSR1);
    sink = number;
}

KEPT void round_of(int number)
{
    Group group;
    group.shapes.push_back(std::make_unique<Circle>());
    group.draw(number);
    std::function<void()> function = [=] { large_frame(number % 7); };
    function();
    std::vector<int> values = {5, number, 3};
    std::sort(values.begin(), values.end(), [](int a, int b) {
        here(3);
        return a < b;
    });
    variable_frame(number % 9);
    realigned_frame(number % 11);
    from_the_library(number);
    catcher(number % 13);
    from_a_signal(number);
    recursion(number % 90);
    sink = number;
}

KEPT void rounds(long count)
{
    for (long i = 0; i < count; i++)
        round_of(int(i % 1000));
}

}  // namespace

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    long count = atol(argv[1]);
    struct sigaction action = {};
    action.sa_handler = handler;
    sigaction(SIGUSR1, &action, nullptr);
    std::thread other([=] { rounds(count); });
    rounds(count);
    other.join();
    for (const auto &[addresses, times] : stacks) {
        printf("%ld", times);
        for (void *address : addresses)
            printf(" %lx", reinterpret_cast<unsigned long>(address));
        printf("\n");
    }
}
