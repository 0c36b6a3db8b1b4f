// A library through whose frames exceptions pass; exceptions.cpp loads it.
// build: -shared -fPIC
#include <stdexcept>
#include <string>

namespace {

struct Counted {
    int &left;
    ~Counted() { left++; }
};

}  // namespace

extern "C" int through_library(int (*callback)(int), int depth, int *left)
{
    Counted counted{*left};
    return depth > 0 ? through_library(callback, depth - 1, left) + 1 : callback(depth);
}

extern "C" int throw_in_library(int value)
{
    if (value % 2)
        throw std::runtime_error("odd " + std::to_string(value));
    return value;
}
