// Types and ways of passing arguments for the tests of common/dwarf.
// build: -gdwarf-5 -no-pie
#include <cstddef>
#include <cstdint>

#ifdef __clang__
#define TRACED __attribute__((noinline, used))
#else
#define TRACED __attribute__((noipa, used))
#endif

namespace app {

enum class Color : uint8_t { Red, Green };
enum Level : int { Low = -1, High = 1 };

struct Base {
    int base_id;
};

struct Left : Base {
    long left;
};

struct Node {
    Node *next;
    const char *name;
    int value;
};

struct Thing : Left {
    static int count;

    char letter;
    signed char small;
    unsigned flag_a : 1, flag_b : 3;
    long long wide : 40;
    bool yes;
    Color color;
    Level level;
    struct {
        short inner_x;
        union {
            int as_int;
            float as_float;
        };
    };
    union {
        uint64_t raw;
        double real;
    } number;
    int grid[3][5];
    char text[16];
    Node *list;
    Node first;
    const volatile unsigned long *const deep;
    void *nothing;
    int (*callback)(int);
    int Node::*member;

    struct Nested {
        int depth;
    };

    TRACED int method(int a, const char *b) const;
    TRACED static int without_this(int a);
    virtual ~Thing();
};

// The compiler checks the sizes and offsets that the tests expect to read from DWARF.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
static_assert(sizeof(Thing) == 200 && offsetof(Thing, letter) == 24 && offsetof(Thing, yes) == 32);
static_assert(offsetof(Thing, level) == 36 && offsetof(Thing, inner_x) == 40);
static_assert(offsetof(Thing, as_int) == 44 && offsetof(Thing, text) == 116);
static_assert(offsetof(Thing, list) == 136 && offsetof(Thing, callback) == 184);

int Thing::count = 3;
using ThingAlias = Thing;

TRACED int Thing::method(int a, const char *b) const
{
    return a + b[0] + letter;
}
TRACED int Thing::without_this(int a)
{
    return a;
}
Thing::~Thing() {}

struct Small {  // two integer registers
    long a, b;
};
struct Half {  // one integer register
    int a, b;
};
struct Mixed {  // one integer and one vector register
    double d;
    int i;
};
struct Floats {  // one vector register
    float x, y;
};
struct Large {  // on the stack
    long a, b, c;
};
struct Empty {};
struct Guard {  // passed by reference, because its copy constructor is not trivial
    int value;
    Guard(const Guard &other);
    ~Guard();
};
Guard::Guard(const Guard &other) : value(other.value) {}
Guard::~Guard() {}
struct __attribute__((packed)) Packed {  // on the stack: a member is not aligned
    char c;
    long l;
};

TRACED int by_small(Small s, int after)
{
    return static_cast<int>(s.a + after);
}
TRACED int by_half(Half s, int after)
{
    return s.a + after;
}
TRACED int by_mixed(Mixed s, int after)
{
    return s.i + after;
}
TRACED int by_floats(Floats s, int after)
{
    return static_cast<int>(s.x) + after;
}
TRACED int by_large(Large s, int after)
{
    return static_cast<int>(s.a) + after;
}
TRACED int by_empty(Empty, int after)
{
    return after;
}
TRACED int by_guard(Guard s, int after)
{
    return s.value + after;
}
TRACED int by_packed(Packed s, int after)
{
    return s.c + after;
}
TRACED int by_reference(Node &node, Node &&other, int after)
{
    return node.value + other.value + after;
}
TRACED int by_floating(double d, int a, float f, long double l, int b)
{
    return static_cast<int>(d) + a + static_cast<int>(f) + static_cast<int>(l) + b;
}
TRACED int by_int128(__int128 wide, int after)
{
    return static_cast<int>(wide) + after;
}
TRACED int by_null(decltype(nullptr), int after)
{
    return after;
}

TRACED Large returns_large(int a)
{
    return {a, a, a};
}
TRACED Guard *returns_pointer(Guard *g)
{
    return g;
}
TRACED Small returns_small(int a)
{
    return {a, a};
}
TRACED double returns_double(int a)
{
    return a;
}
TRACED float returns_float(int a)
{
    return static_cast<float>(a);
}
TRACED long double returns_long_double(int a)
{
    return a;
}
TRACED __int128 returns_int128(int a)
{
    return a;
}
TRACED Half returns_half(int a)
{
    return {a, a};
}
TRACED Mixed returns_mixed(int a)
{
    return {1.5, a};
}
TRACED Floats returns_floats(int a)
{
    return {1.5, static_cast<float>(a)};
}
TRACED Empty returns_empty(int)
{
    return {};
}
TRACED Color returns_enum(int)
{
    return Color::Red;
}

// `large`, `seventh` and `eighth` are on the stack, in this order; the others are in registers.
TRACED int many(int a, int b, int c, Large large, int d, int e, int f, int seventh, char eighth)
{
    return a + b + c + d + e + f + seventh + eighth + static_cast<int>(large.a);
}
// `s` needs two registers, but only one is left: all of `s` is on the stack, and `f` gets the
// register.
TRACED int no_room(int a, int b, int c, int d, int e, Small s, int f)
{
    return a + b + c + d + e + f + static_cast<int>(s.a);
}

template <class T>
struct Box {
    T content;
    TRACED T take(T other) { return other; }
};
template struct Box<int>;

}  // namespace app

namespace {
struct Hidden {
    int x;
};
TRACED int hidden(Hidden *h)
{
    return h->x;
}
}  // namespace

struct Redeclared;
TRACED int opaque(Redeclared *r)
{
    return r != nullptr;
}
struct Redeclared {
    int found;
};

app::Thing::Nested nested;
app::ThingAlias *alias;

int main()
{
    Hidden h = {3};
    Redeclared r = {4};
    app::Box<int> box = {1};
    return hidden(&h) + opaque(&r) + box.take(2) + (alias != nullptr) + nested.depth;
}
