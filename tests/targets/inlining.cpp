// build: -O2 -g
//
// Cart::add() and checked() are inlined into step(). Stacks have a frame for each of the three.
#include <cstdio>
#include <cstdlib>

namespace shop {

struct Cart {
    long sum = 0;
    __attribute__((always_inline)) void add(long price);
};

extern "C" __attribute__((noipa)) void paid(long sum)
{
    if (sum < 0)
        abort();
}

static inline __attribute__((always_inline)) void checked(long price)
{
    if (price > 10)
        paid(price);
}

inline void Cart::add(long price)
{
    sum += price;
    checked(price);
}

}  // namespace shop

extern "C" __attribute__((noipa)) long step(long price)
{
    shop::Cart cart;
    cart.add(price);
    return cart.sum;
}

int main()
{
    long sum = 0;
    for (int i = 0; i < 181; i++)
        sum += step(11);
    printf("%ld\n", sum);
}
