// A small shop that takes an order every 100 ms: what `make demo` and some tests trace.
//
// Its USDT probes (provider "shop") have semaphores, strings with and without a length, and
// integers of each size. KEPT functions are compiled as they are written: otherwise the compiler
// would inline them, or choose other registers for their arguments.
//
//     demo [ORDERS]      ends after ORDERS orders; without it, never
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

// A tracer increments a probe's semaphore while it is attached.
#define SEMAPHORE(name) \
    __attribute__((section(".probes"))) volatile unsigned short shop_##name##_semaphore
extern "C" {
SEMAPHORE(order__placed);
SEMAPHORE(item__added);
SEMAPHORE(payment__done);
SEMAPHORE(order__failed);
}

#ifdef __clang__
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noipa))
#endif

namespace shop {

struct Item {
    std::string name;
    int quantity;
    int64_t price_cents;
};

class Cart {
  public:
    KEPT void add(const std::string &name, int quantity);
    KEPT void add(const Item &item);
    KEPT int64_t total_cents() const;
    const std::vector<Item> &items() const { return items_; }

  private:
    std::vector<Item> items_;
};

void Cart::add(const std::string &name, int quantity)
{
    add(Item{name, quantity, 100 + 25 * static_cast<int64_t>(name.size())});
}

void Cart::add(const Item &item)
{
    STAP_PROBE4(shop, item__added, item.name.data(), item.name.size(), item.quantity,
                item.price_cents);
    items_.push_back(item);
}

int64_t Cart::total_cents() const
{
    int64_t total = 0;
    for (const Item &item : items_)
        total += item.quantity * item.price_cents;
    return total;
}

KEPT const char *pick_customer(unsigned order)
{
    static const char *const customers[] = {"Ada", "Grace", "Edsger", "Barbara", "Zoë"};
    return customers[order % 5];
}

KEPT bool pay(const char *customer, int64_t cents)
{
    uint8_t by_card = cents % 2;
    bool accepted = cents < 1500;
    STAP_PROBE4(shop, payment__done, customer, cents, by_card, accepted);
    return accepted;
}

KEPT int place_order(unsigned number)
{
    static const std::string_view goods[] = {"tea", "coffee beans", "mug", "kettle"};
    const char *customer = pick_customer(number);
    Cart cart;
    for (unsigned i = 0; i <= number % 3; i++)
        cart.add(std::string(goods[(number + i) % 4]), static_cast<int>(1 + (number + i) % 4));

    int64_t cents = cart.total_cents();
    const Item &first = cart.items().front();
    STAP_PROBE4(shop, order__placed, number, customer, first.name.c_str(), first.quantity);
    if (!pay(customer, cents)) {
        STAP_PROBE2(shop, order__failed, number, "payment refused");
        return -1;
    }
    return static_cast<int>(cart.items().size());
}

}  // namespace shop

int main(int argc, char **argv)
{
    unsigned long orders = argc > 1 ? strtoul(argv[1], nullptr, 10) : 0;
    puts("the shop is open");
    fflush(stdout);
    for (unsigned number = 1; orders == 0 || number <= orders; number++) {
        shop::place_order(number);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
}
