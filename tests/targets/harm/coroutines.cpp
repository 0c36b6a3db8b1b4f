// C++20 coroutines: generators, tasks that resume each other by tail calls, exceptions that leave
// them.
#include "check.h"

#if __has_include(<coroutine>) && defined(__cpp_impl_coroutine)
#include <coroutine>
#include <exception>
#include <stdexcept>
#include <utility>

namespace {

struct Generator {
    struct promise_type {
        int value = 0;
        std::exception_ptr failed;
        Generator get_return_object()
        {
            return Generator{std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int v)
        {
            value = v;
            return {};
        }
        void return_void() {}
        void unhandled_exception() { failed = std::current_exception(); }
    };
    std::coroutine_handle<promise_type> handle;
    ~Generator() { handle.destroy(); }
    bool next()
    {
        handle.resume();
        if (handle.promise().failed)
            std::rethrow_exception(handle.promise().failed);
        return !handle.done();
    }
};

struct Task {
    struct promise_type {
        std::coroutine_handle<> waiting = std::noop_coroutine();
        int value = 0;
        Task get_return_object()
        {
            return Task{std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend() noexcept { return {}; }
        struct Final {
            bool await_ready() noexcept { return false; }
            std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept
            {
                return h.promise().waiting;
            }
            void await_resume() noexcept {}
        };
        Final final_suspend() noexcept { return {}; }
        void return_value(int v) { value = v; }
        void unhandled_exception() { std::terminate(); }
    };
    std::coroutine_handle<promise_type> handle;
    explicit Task(std::coroutine_handle<promise_type> h) : handle(h) {}
    Task(Task &&other) : handle(std::exchange(other.handle, nullptr)) {}
    ~Task()
    {
        if (handle)
            handle.destroy();
    }
    bool await_ready() { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> h)
    {
        handle.promise().waiting = h;
        return handle;
    }
    int await_resume() { return handle.promise().value; }
};

APART Generator count(int to)
{
    for (int i = 0; i < to; i++)
        co_yield i *i;
    if (to % 3 == 0)
        throw std::runtime_error("third");
}

APART Task fibonacci(int n)
{
    if (n < 2)
        co_return n;
    co_return co_await fibonacci(n - 1) + co_await fibonacci(n - 2);
}

}  // namespace

int main(int argc, char **argv)
{
    for (int i = 0; i < rounds(argc, argv); i++) {
        for (int to = 0; to < 12; to++) {
            try {
                for (Generator numbers = count(to); numbers.next();)
                    mix(numbers.handle.promise().value);
            } catch (const std::runtime_error &error) {
                mix(error.what()[0]);
            }
            Task task = fibonacci(to);
            task.handle.resume();
            mix(task.handle.promise().value);
        }
    }
    return report("coroutines");
}
#else
int main()
{
    return report("coroutines: not in this compiler");
}
#endif
