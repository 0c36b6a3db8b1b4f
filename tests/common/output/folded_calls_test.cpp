#include "output/folded_calls.h"

#include <gtest/gtest.h>

using namespace uscope;
using output::FoldedCalls;

namespace {

const std::string a = "a", b = "b";

std::string folded(const FoldedCalls &calls)
{
    std::string out;
    for (const output::StackCount &stack : calls.stacks("php"))
        output::append_folded(out, stack);
    return {out.data(), out.size()};
}

}  // namespace

TEST(FoldedCalls, EachStackHasItsOwnTime)
{
    FoldedCalls calls;
    calls.enter(7, &a);
    calls.enter(7, &b);
    calls.leave(7, 20'000);
    calls.leave(7, 40'000);
    EXPECT_EQ(folded(calls), "php;a 40\nphp;a;b 20\n");
}

TEST(FoldedCalls, TheSameStackIsAddedUpOverThreads)
{
    FoldedCalls calls;
    for (pid_t tid : {7, 8}) {
        calls.enter(tid, &a);
        calls.leave(tid, 1500);
    }
    EXPECT_EQ(folded(calls), "php;a 3\n");
}

TEST(FoldedCalls, RecursionIsAStackOfItsOwn)
{
    FoldedCalls calls;
    calls.enter(7, &a);
    calls.enter(7, &a);
    calls.leave(7, 1000);
    calls.leave(7, 1000);
    EXPECT_EQ(folded(calls), "php;a 1\nphp;a;a 1\n");
}

TEST(FoldedCalls, LeavingMoreThanWasEnteredChangesNothing)
{
    FoldedCalls calls;
    calls.leave(7, 1000);
    EXPECT_EQ(folded(calls), "");
}
