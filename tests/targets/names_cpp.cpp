// C++ functions with all kinds of names: overloads, operators, templates, lambdas, ... For the
// tests of common/elf/functions, and of probes by name.
#include <cstdio>

#ifdef __clang__
#define TRACED __attribute__((noinline, used))
#else
#define TRACED __attribute__((noipa, used))
#endif

TRACED void plain_cpp(int) {}

namespace shapes {

TRACED int area(int a)
{
    return a;
}
TRACED int area(int a, unsigned long b)
{
    return a + static_cast<int>(b);
}
TRACED int print(const char *text, void (*then)(int))
{
    then(1);
    return *text;
}

struct Base {
    TRACED virtual ~Base() {}
    int number = 1;
};

// A virtual base makes the constructors C1 (complete object) and C2 (base object) differ.
struct Circle : virtual Base {
    TRACED explicit Circle(int r) : radius(r) {}
    TRACED ~Circle() override {}
    TRACED int grow() { return ++radius; }
    TRACED int grow() const { return radius; }
    TRACED int shrink() const { return radius - 1; }
    TRACED int operator()(int a) { return a + radius; }
    TRACED bool operator<(const Circle &other) const { return radius < other.radius; }
    TRACED Circle *operator->() { return this; }
    TRACED int operator[](int a) const { return a; }
    TRACED explicit operator bool() const { return radius != 0; }
    int radius;
};

struct Disk : Circle {
    TRACED explicit Disk(int r) : Circle(r) {}
};

template <class T>
TRACED T twice(T value)
{
    return value + value;
}

template <class T>
struct Box {
    TRACED T open(int n) { return value + n; }
    template <class U>
    __attribute__((noinline)) U as(U more)
    {
        return static_cast<U>(value) + more;
    }
    T value;
};

template <class T>
TRACED int operator<<(Box<T> &, int n)
{
    return n;
}

namespace {
TRACED int hidden(int a)
{
    return a + 7;
}
}  // namespace

TRACED int with_lambda(int a)
{
    auto add = [a](int b) __attribute__((noinline))
    {
        return a + b;
    };
    return add(2);
}

}  // namespace shapes

int main()
{
    using namespace shapes;
    plain_cpp(1);
    Circle circle(1);
    Disk disk(2);
    Box<int> box{3};
    Box<double> other{4};
    const Circle &fixed = circle;
    int sum = area(1) + area(1, 2) + circle.grow() + fixed.grow() + fixed.shrink() + circle(1) +
              (circle < disk) + circle->radius + fixed[1] + static_cast<bool>(circle) + twice(1) +
              static_cast<int>(twice(1.0)) + box.open(1) + static_cast<int>(other.open(1)) +
              static_cast<int>(box.as(5L)) + (box << 1) + hidden(1) + with_lambda(1) +
              print("x", plain_cpp);
    printf("%d\n", sum);
}
