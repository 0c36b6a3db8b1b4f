#include "run/target_watch.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "attach/signals.h"
#include "run/child.h"
#include "run/loop.h"
#include "run/tool.h"

namespace uscope::run {
namespace {

struct EndingTest : testing::Test {
    ~EndingTest() override { attach::unblock_end_signals(); }
    Child child()
    {
        auto child = Child::start({"true"});
        EXPECT_TRUE(child);
        return std::move(*child);
    }
    // Runs a loop for `milliseconds`; returns how often the action for ended targets was called.
    int ends(TargetWatch &ending, unsigned milliseconds = 20)
    {
        ends_ = 0;
        EXPECT_TRUE(ending.watch(loop));
        EXPECT_TRUE(loop.once_after(milliseconds, [this] { loop.stop(); }));
        EXPECT_TRUE(loop.run());
        return ends_;
    }
    Loop loop = std::move(*Loop::create());
    int ends_ = 0;
    std::function<void()> action = [this] { ends_++; };
};

TEST_F(EndingTest, NeverComesWhenNoProcessWasNamed)
{
    TargetWatch ending({}, action);
    EXPECT_EQ(ends(ending), 0);
}

TEST_F(EndingTest, ComesWithTheLastOfTheProcesses)
{
    Child first = child(), second = child();
    TargetWatch ending({.pids = {first.pid(), second.pid()}}, action);
    ASSERT_TRUE(loop.on_exit(first.pid(), [&] {
        EXPECT_EQ(ends_, 0);
        EXPECT_TRUE(second.release());
    }));
    ASSERT_TRUE(first.release());
    EXPECT_EQ(ends(ending, 500), 1);
}

TEST_F(EndingTest, WaitsForThoseThatStillRun)
{
    Child first = child(), second = child();
    TargetWatch ending({.pids = {first.pid(), second.pid()}}, action);
    ASSERT_TRUE(first.release());
    EXPECT_EQ(ends(ending, 100), 0);
}

TEST_F(EndingTest, ComesAtOnceWhenAllHaveEndedBefore)
{
    pid_t gone = fork();
    if (gone == 0)
        _exit(0);
    waitpid(gone, nullptr, 0);
    TargetWatch ending({.pids = {gone}}, action);
    EXPECT_EQ(ends(ending), 1);
}

}  // namespace
}  // namespace uscope::run
