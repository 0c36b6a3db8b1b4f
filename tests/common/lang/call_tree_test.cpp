#include "lang/call_tree.h"

#include <gtest/gtest.h>

#include "base/format.h"

using namespace uscope;
using lang::CallTree;

namespace {

// A call tree to which a test adds events as text:
//     "1 >a"         a is entered at depth 1
//     "2 <b"         b returns; the kernel side has counted its depth as 2
//     "3 >c lost 2"  c is entered at depth 3; two events before it were lost
// add() returns the resulting step: the event's depth in the tree, the calls that ended with their
// times in ns, and ? if the call of a return is unknown. Events are 10 ns apart.
class Tree {
  public:
    std::string add(std::string_view text, pid_t tid = 7)
    {
        CallTree::Event event;
        char direction = 0, name[16] = {};
        sscanf(std::string(text).c_str(), "%u %c%15s lost %u", &event.depth, &direction, name,
               &event.lost);
        event.thread = tid;
        event.ts_ns = now_ += 10;
        event.is_return = direction == '<';
        event.name = name;
        const CallTree::Step &step = tree_.add(event);
        std::string result = fmt::format("{}", step.depth);
        for (const CallTree::Call &call : step.ended)
            result += fmt::format(" {}={}", *call.name, now_ - call.entered_ns);
        return result + (event.is_return && !step.is_known ? " ?" : "");
    }
    const CallTree &tree() const { return tree_; }

  private:
    CallTree tree_;
    uint64_t now_ = 0;
};

}  // namespace

TEST(CallTree, ACallLastsFromItsEntryToItsReturn)
{
    Tree tree;
    EXPECT_EQ(tree.add("1 >a"), "1");
    EXPECT_EQ(tree.add("2 >b"), "2");
    EXPECT_EQ(tree.add("2 <b"), "2 b=10");
    EXPECT_EQ(tree.add("1 <a"), "1 a=30");
}

TEST(CallTree, RecursionIsToldApartByDepth)
{
    Tree tree;
    tree.add("1 >a");
    tree.add("2 >a");
    EXPECT_EQ(tree.add("2 <a"), "2 a=10");
    EXPECT_EQ(tree.add("1 <a"), "1 a=30");
}

TEST(CallTree, ThreadsAreApart)
{
    Tree tree;
    tree.add("1 >a", 7);
    tree.add("1 >b", 8);
    EXPECT_EQ(tree.add("1 <a", 7), "1 a=20");
}

TEST(CallTree, TheTimeInsideIsThatOfCallsThatWereSeen)
{
    Tree tree;
    tree.add("1 >a");
    tree.add("2 >b");
    tree.add("2 <b");
    tree.add("2 >c");
    uint64_t inside = 0;
    tree.tree().each_open([&](pid_t, const CallTree::Call &call) {
        if (*call.name == "a")
            inside = call.inside_ns;
    });
    EXPECT_EQ(inside, 10u);
}

TEST(CallTree, FilteredCallsBetweenAreLeftOut)
{
    Tree tree;
    tree.add("2 >a");
    EXPECT_EQ(tree.add("5 >b"), "5");
    EXPECT_EQ(tree.add("5 <b"), "5 b=10");
    EXPECT_EQ(tree.add("2 <a"), "2 a=30");
}

TEST(CallTree, ACallThatNeverReturnsEndsWithItsCaller)
{
    Tree tree;
    tree.add("1 >job");
    tree.add("2 >raise");
    EXPECT_EQ(tree.add("2 <job"), "1 raise=10 job=20");
    // From now on, the kernel side's depths are one too large.
    EXPECT_EQ(tree.add("2 >job"), "1");
    EXPECT_EQ(tree.add("3 >other"), "2");
    EXPECT_EQ(tree.add("3 <other"), "2 other=10");
    EXPECT_EQ(tree.add("2 <job"), "1 job=30");
}

TEST(CallTree, ACallThatNeverReturnsMayBeFiltered)
{
    Tree tree;
    tree.add("1 >job");  // a filter has rejected raise() at depth 2
    EXPECT_EQ(tree.add("2 <job"), "1 job=10");
    EXPECT_EQ(tree.add("2 >job"), "1");
}

TEST(CallTree, ALostReturnEndsTheCallAtTheNextEvent)
{
    Tree tree;
    tree.add("1 >a");
    tree.add("2 >b");
    EXPECT_EQ(tree.add("2 >c lost 1"), "2 b=10");
    EXPECT_EQ(tree.add("2 <c"), "2 c=10");
    EXPECT_EQ(tree.add("1 <a"), "1 a=40");
}

TEST(CallTree, TheReturnOfALostEntryHasNoBeginning)
{
    Tree tree;
    tree.add("1 >a");
    EXPECT_EQ(tree.add("2 <b lost 1"), "2 ?");
    EXPECT_EQ(tree.add("1 <a"), "1 a=20");
}

TEST(CallTree, ALostEntryIsNotTakenForAnOuterCallOfItsName)
{
    Tree tree;
    tree.add("1 >a");
    tree.add("3 >b lost 1");  // 2 >a was lost
    tree.add("3 <b");
    EXPECT_EQ(tree.add("2 <a"), "2 ?");
    EXPECT_EQ(tree.add("1 <a"), "1 a=40");
}

TEST(CallTree, ANewThreadMayHaveAnEndedOnesNumber)
{
    Tree tree;
    tree.add("1 >a");
    tree.add("2 >raise");
    tree.add("2 <a");  // its depth is one too large
    EXPECT_EQ(tree.add("1 >b"), "1");
    EXPECT_EQ(tree.add("1 <b"), "1 b=10");
}

TEST(CallTree, TellsWhatIsUnderWay)
{
    Tree tree;
    tree.add("1 >a");
    tree.add("2 >b");
    std::string open;
    tree.tree().each_open([&](pid_t tid, const CallTree::Call &call) {
        open += fmt::format("{}:{} ", tid, *call.name);
    });
    EXPECT_EQ(open, "7:b 7:a ");
}
