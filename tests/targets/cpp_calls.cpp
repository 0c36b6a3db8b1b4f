// Calls functions whose arguments are texts, enumerations and objects of C++, a few times each.
#include <fcntl.h>
#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#define KEPT __attribute__((noinline, noclone, visibility("default")))

namespace calls {

enum class Color { red = 3, green };
struct Pair {
    long left, right;
};

KEPT int take(const std::string &text, int number)
{
    asm volatile("" ::: "memory");
    return text.size() + number;
}
KEPT int view(std::string_view text, int number)
{
    asm volatile("" ::: "memory");
    return text.size() + number;
}
KEPT int copy(std::string text, const std::vector<char> &bytes, double real, bool truth)
{
    asm volatile("" ::: "memory");
    return text.size() + bytes.size() + real + truth;
}
KEPT int choose(Color color, const char *name, char letter, unsigned long bits)
{
    asm volatile("" ::: "memory");
    return static_cast<int>(color) + *name + letter + bits;
}
KEPT long add(Pair pair)
{
    asm volatile("" ::: "memory");
    return pair.left + pair.right;
}

class Counter {
  public:
    KEPT int add(const std::string &text) const
    {
        asm volatile("" ::: "memory");
        return base_ + text.size();
    }

  private:
    int base_ = 40;
};

}  // namespace calls

int main()
{
    calls::Counter counter;
    std::vector<char> bytes = {'a', 'b', 'c'};
    long sum = 0;
    for (const char *text : {"", "short", "a text that does not fit into the object itself"}) {
        sum += calls::take(text, 7);
        sum += calls::view(std::string_view(text).substr(0, 4), -1);
        sum += calls::copy(text, bytes, 2.5, true);
        sum += counter.add(text);
    }
    sum += calls::choose(calls::Color::green, "name", 'x', 1ul << 40);
    sum += calls::choose(static_cast<calls::Color>(9), "name", '\n', 5);
    sum += calls::add({30, 12});
    sum += open("/nonexistent/file", O_RDONLY) < 0 && errno == ENOENT;
    printf("%ld\n", sum);
}
