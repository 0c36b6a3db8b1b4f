// Fibers of boost.context: a ring of them, nested calls that are suspended in another order than they were made,
// exceptions inside of them, and stacks that are unwound when a fiber is let go of.
#include "check.h"

#include <stdexcept>
#include <utility>
#include <vector>

#include <boost/context/fiber.hpp>

namespace context = boost::context;

namespace {

int destroyed;
struct Counted {
    ~Counted() { destroyed++; }
};

APART int nested(context::fiber &other, int depth)
{
    Counted counted;
    int got = depth;
    if (depth > 0)
        got += nested(other, depth - 1) * 3;
    other = std::move(other).resume();
    mix(got);
    if (depth == 2)
        throw std::runtime_error("two");
    return got;
}

APART context::fiber make(int number)
{
    return context::fiber{[number](context::fiber &&caller) {
        try {
            mix(nested(caller, number % 5));
        } catch (const std::runtime_error &error) {
            mix(error.what()[0]);
        }
        return std::move(caller);
    }};
}

}  // namespace

int main(int argc, char **argv)
{
    for (int i = 0; i < rounds(argc, argv); i++) {
        std::vector<context::fiber> fibers;
        for (int n = 0; n < 9; n++)
            fibers.push_back(make(n));
        for (int step = 0; step < 4; step++)
            for (int n = 0; n < 9; n++) {
                context::fiber &fiber = fibers[(n * 4 + step) % 9];
                if (fiber)
                    fiber = std::move(fiber).resume();
            }
        fibers.clear();
        mix(destroyed);
    }
    return report("boost");
}
