// For probes on source lines: says what its variables are at some of them.
#include <cstdio>
#include <string>
#include <vector>

struct Point {
    int x, y;
};
static int total;

[[gnu::always_inline]] static inline int twice(int n)
{
    int doubled = n * 2;
    total += doubled;
    asm volatile("" : "+m"(total));
    return doubled;
}

[[gnu::noinline]] static int work(const std::vector<int> &values, const char *label)
{
    int sum = 0;
    for (size_t i = 0; i < values.size(); i++) {
        Point point = {values[i], static_cast<int>(i)};
        asm volatile("" : "+m"(point), "+r"(sum));
        printf("26 %d %zu %d\n", sum, i, values[i]);  // what line 26 has
        sum += twice(point.x) + point.y;
        asm volatile("" : "+r"(sum));
    }

    printf("%s %d\n", label, sum);
    return sum;
}

int main()
{
    setvbuf(stdout, nullptr, _IOLBF, 0);
    std::vector<int> values = {5, 6, 7};
    return work(values, "label") == 0;
}
