// Objects, containers and variables for the tests of values: says itself what they hold.
#include <arpa/inet.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace whole {

enum class Color { red, green = 5 };

struct Base {
    short base_id;
};

struct Inner {
    int x;
    unsigned low : 3;
    signed high : 5;
    double real;
};

struct Thing : Base {
    long id;
    Color color;
    const char *name;
    std::string title;
    Inner in;
    int list[3];
    char tag[8];
    bool ok;
};

struct Pair {
    int a, b;
    long c;
};

int counter = 40;
Thing *first;

struct Counters {
    static long all;
};
long Counters::all = 7;

__attribute__((noinline)) long show(const Thing &thing, Pair pair, const char *text, const int &n)
{
    asm volatile("" ::: "memory");
    counter++;
    return thing.id + pair.a + (text ? 1 : 0) + n;
}

__attribute__((noinline)) long hold(const std::vector<Pair> &pairs, std::map<int, int> &tree,
                                    std::unordered_map<int, int> &table, std::list<int> &list,
                                    std::array<int, 4> &fixed, std::unique_ptr<Thing> &owner)
{
    asm volatile("" ::: "memory");
    return static_cast<long>(pairs.size() + tree.size() + table.size() + list.size()) + fixed[1] +
           owner->id;
}

__attribute__((noinline)) long share(std::shared_ptr<Thing> shared, const sockaddr *address,
                                     unsigned ip, const std::string &file)
{
    asm volatile("" ::: "memory");
    return shared->id + address->sa_family + ip + static_cast<long>(file.size());
}

struct Bits {
    unsigned low : 4;
    int high : 5;
    short next;
    char tail;
};

struct Letters {
    char text[5];
};

struct Mixed {
    double real;
    int n;
};

std::string city = "Oslo";

namespace {
int hidden = 43;
}

__attribute__((noinline)) long copy(Pair pair, Bits bits, Letters letters, Mixed mixed,
                                    std::vector<int> list)
{
    asm volatile("" ::: "memory");
    hidden++;
    return pair.b + bits.low + letters.text[0] + mixed.n + list[0];
}

struct Octets {
    uint8_t list[3];
};

__attribute__((noinline)) long none(const Octets &octets, std::array<int, 0> &empty,
                                    std::array<int, 2> two, const uint8_t &octet)
{
    asm volatile("" ::: "memory");
    return octets.list[0] + static_cast<long>(empty.size()) + two[1] + octet;
}

void print(const Thing &thing)
{
    printf(
        "thing {id=%ld, color=%s, name=\"%s\", title=\"%s\", in={x=%d, low=%u, high=%d, "
        "real=%g}, list=[%d, %d, %d], tag=\"%s\", ok=%s, base_id=%d}\n",
        thing.id, thing.color == Color::green ? "green" : "red", thing.name, thing.title.c_str(),
        thing.in.x, thing.in.low, thing.in.high, thing.in.real, thing.list[0], thing.list[1],
        thing.list[2], thing.tag, thing.ok ? "true" : "false", thing.base_id);
}

}  // namespace whole

int main()
{
    using namespace whole;
    Thing thing = {};
    thing.base_id = -2;
    thing.id = 77;
    thing.color = Color::green;
    thing.name = "name";
    thing.title = "a title that does not fit into the object itself";
    thing.in = {4, 5, -3, 2.5};
    thing.list[0] = 1, thing.list[1] = -2, thing.list[2] = 3;
    strcpy(thing.tag, "tag");
    thing.ok = true;
    first = &thing;

    std::vector<Pair> pairs = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    std::map<int, int> tree = {{1, 1}, {2, 2}};
    std::unordered_map<int, int> table = {{1, 1}};
    std::list<int> list = {1, 2, 3, 4};
    std::array<int, 4> fixed = {7, 8, 9, 10};
    auto owner = std::make_unique<Thing>(thing);
    owner->id = 78;
    auto shared = std::make_shared<Thing>(thing);
    shared->id = 79;
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(8080);
    inet_pton(AF_INET, "192.0.2.7", &address.sin_addr);

    print(thing);
    long sum = show(thing, {1, -2, 3}, nullptr, 5) + show(thing, {1, -2, 3}, "text", 5);
    sum += hold(pairs, tree, table, list, fixed, owner);
    sum += share(shared, reinterpret_cast<sockaddr *>(&address), address.sin_addr.s_addr,
                 "config.json");
    sum += copy({1, -2, 3}, {9, -7, -300, 't'}, {{'a', 'b', 'c', 'd', 'e'}}, {2.5, 6}, {7, 8});
    std::array<int, 0> empty;
    sum += none({{1, 0, 255}}, empty, {4, 5}, 200);
    printf("sum %ld counter %d\n", sum, counter);
}
