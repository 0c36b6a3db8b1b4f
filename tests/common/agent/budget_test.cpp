#include "agent/budget.h"

#include <gtest/gtest.h>

namespace uscope::agent {
namespace {

constexpr uint64_t window = Budget::window_ns, ms = 1'000'000;

TEST(AgentBudget, PausesTheToolThatUsedMost)
{
    Budget budget;
    budget.set(0.01);
    EXPECT_FALSE(budget.check(1, {{"a", 5000 * ms}, {"b", 10 * ms}}));  // the window starts
    EXPECT_FALSE(budget.check(window / 2, {{"a", 9000 * ms}, {"b", 10 * ms}}));
    EXPECT_FALSE(budget.check(window + 1, {{"a", 5040 * ms}, {"b", 70 * ms}}));  // 1 %
    auto pause = budget.check(2 * window + 1, {{"a", 5050 * ms}, {"b", 161 * ms}});
    ASSERT_TRUE(pause);
    EXPECT_EQ(pause->name, "b");
    EXPECT_DOUBLE_EQ(pause->used, 0.0091);
    EXPECT_DOUBLE_EQ(pause->all_used, 0.0101);
    EXPECT_EQ(pause->ns, Budget::first_pause_ns);
    // It was started again, so all that it has used counts.
    pause = budget.check(3 * window + 1, {{"a", 5050 * ms}, {"b", 101 * ms}});
    ASSERT_TRUE(pause);
    EXPECT_EQ(pause->ns, 2 * Budget::first_pause_ns);
}

TEST(AgentBudget, PausesBecomeLongerUpToAnHour)
{
    Budget budget;
    budget.set(0.01);
    uint64_t now = 1, used = 0, last = 0;
    budget.check(now, {{"a", used}});
    for (int i = 0; i < 12; i++) {
        now += last + window;
        auto pause = budget.check(now, {{"a", used += last + window}});
        ASSERT_TRUE(pause) << i;
        EXPECT_GE(pause->ns, last);
        last = pause->ns;
    }
    EXPECT_EQ(last, Budget::longest_pause_ns);
    now += last + Budget::longest_pause_ns + 1;
    EXPECT_EQ(budget.check(now, {{"a", used + now}})->ns, Budget::first_pause_ns);
}

TEST(AgentBudget, MayBeNone)
{
    Budget budget;
    budget.check(1, {});
    EXPECT_FALSE(budget.check(window + 1, {{"a", window}}));
    EXPECT_FALSE(budget.check(2 * window + 1, {}));
}

}  // namespace
}  // namespace uscope::agent
