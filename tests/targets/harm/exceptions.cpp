// C++ exceptions in all the ways in which they leave functions: through destructors, through C
// functions whose callback throws, through a library; rethrown, nested, and thrown again by another
// thread.
// build: -pthread -ldl -rdynamic
#include "check.h"

#include <exception>
#include <functional>
#include <future>
#include <stdexcept>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

int destroyed;

struct Counted {
    ~Counted() { destroyed++; }
};

APART int throw_at(int depth)
{
    Counted counted;
    if (depth == 0)
        throw std::out_of_range("bottom");
    return throw_at(depth - 1) + 1;
}

APART int catch_each(int depth)
{
    try {
        Counted counted;
        return depth == 0 ? throw_at(3) : catch_each(depth - 1) + 1;
    } catch (const std::out_of_range &error) {
        mix(error.what()[0] + depth);
        throw std::runtime_error(std::to_string(depth));
    } catch (const std::runtime_error &error) {
        mix(std::stoi(error.what()));
        throw;
    }
}

int compared;
APART int compare(const void *a, const void *b)
{
    Counted counted;
    if (++compared % 10 == 0)
        throw compared;
    return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}

APART void through_c()
{
    for (int i = 0; i < 20; i++) {
        int values[] = {5, 3, 9, 1, 7, 2, 8, 4, 6, i};
        try {
            qsort(values, 10, sizeof(int), compare);
            mix(values[0]);
        } catch (int count) {
            mix(count);
        }
        try {
            int key = 7;
            mix(bsearch(&key, values, 10, sizeof(int), compare) != nullptr);
        } catch (int count) {
            mix(count * 3);
        }
    }
}

APART int fail_in_constructor(int value)
try {
    struct Part {
        explicit Part(int v)
        {
            if (v > 2)
                throw std::invalid_argument("large");
        }
        Counted counted;
    };
    Part first(value), second(value + 1);
    return value;
} catch (const std::invalid_argument &) {
    return -value;
}

APART void nested()
{
    try {
        try {
            throw_at(4);
        } catch (...) {
            std::throw_with_nested(std::runtime_error("outer"));
        }
    } catch (const std::exception &outer) {
        try {
            std::rethrow_if_nested(outer);
        } catch (const std::out_of_range &inner) {
            mix(inner.what()[1] + outer.what()[0]);
        }
    }
}

APART void in_other_thread()
{
    std::exception_ptr kept;
    try {
        std::async(std::launch::async, [] { return throw_at(5); }).get();
    } catch (...) {
        kept = std::current_exception();
    }
    try {
        std::rethrow_exception(kept);
    } catch (const std::exception &error) {
        mix(error.what()[2]);
    }
}

struct WhileUnwinding {
    ~WhileUnwinding()
    {
        try {
            throw_at(2);
        } catch (const std::exception &) {
            destroyed += 100;
        }
    }
};

APART void during_unwinding()
{
    try {
        WhileUnwinding one;
        throw_at(3);
    } catch (const std::out_of_range &) {
        mix(destroyed);
    }
}

APART void must_not_throw() noexcept
{
    throw_at(1);
}

// Throws from a noexcept function in a child process: its terminate handler ends it with status 41.
APART void unexpected()
{
    if (pid_t child = fork(); child == 0) {
        std::set_terminate([] { _exit(41); });
        must_not_throw();
        _exit(1);
    } else {
        int status;
        waitpid(child, &status, 0);
        mix(status);
    }
}

APART void through_library(const std::string &folder)
{
    void *library = dlopen((folder + "/thrower").c_str(), RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    auto through =
        reinterpret_cast<int (*)(int (*)(int), int, int *)>(dlsym(library, "through_library"));
    auto thrower = reinterpret_cast<int (*)(int)>(dlsym(library, "throw_in_library"));
    int left = 0;
    for (int i = 0; i < 10; i++) {
        try {
            mix(through(i % 3 ? thrower : throw_at, i, &left));
        } catch (const std::exception &error) {
            mix(error.what()[0] * left);
        }
        try {
            mix(thrower(i));
        } catch (const std::runtime_error &error) {
            mix(error.what()[4]);
        }
    }
    mix(left);
    dlclose(library);
}

}  // namespace

int main(int argc, char **argv)
{
    std::string self = argv[0];
    for (int i = 0; i < rounds(argc, argv); i++) {
        for (int depth = 0; depth < 12; depth++) {
            try {
                mix(catch_each(depth));
            } catch (const std::runtime_error &error) {
                mix(std::stoi(error.what()) + destroyed);
            }
            mix(fail_in_constructor(depth));
        }
        through_c();
        nested();
        in_other_thread();
        during_unwinding();
        unexpected();
        through_library(self.substr(0, self.rfind('/')));
    }
    mix(destroyed);
    return report("exceptions");
}
