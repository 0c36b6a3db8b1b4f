#include "run/interval.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "attach/signals.h"
#include "run/child.h"
#include "run/loop.h"
#include "run/processes.h"
#include "run/tool.h"

namespace uscope::run {
namespace {

struct IntervalsTest : testing::Test {
    ~IntervalsTest() override { attach::unblock_end_signals(); }
    Result<> parse(std::vector<const char *> words, const Intervals::Style &style = {})
    {
        tool.emplace("tool", std::span(const_cast<char **>(words.data()), words.size()));
        intervals->declare(*tool, style);
        TRY(tool->parse());
        return intervals->check();
    }
    // Runs the intervals; returns how often they call `show`.
    int run(Targets until = {})
    {
        int shown = 0;
        auto result = intervals->run(*tool, "calls", std::move(until), [&] {
            shown++;
            return Result<>();
        });
        EXPECT_TRUE(result) << (result ? "" : result.error().text);
        return shown;
    }
    std::optional<Tool> tool;
    std::optional<Intervals> intervals{std::in_place};
};

TEST_F(IntervalsTest, MayBeWords)
{
    EXPECT_TRUE(intervals->take_interval({}));
    EXPECT_FALSE(intervals->repeats());
    EXPECT_FALSE(intervals->take_interval({"1", "2", "3"}));
    EXPECT_FALSE(intervals->take_interval({"1", "x"}));
    EXPECT_FALSE(intervals->take_duration({"1", "2"}));
    intervals.emplace();
    ASSERT_TRUE(parse({}));
    EXPECT_TRUE(intervals->take_interval({"0.001", "3"}));
    EXPECT_EQ(run(), 3);
    intervals.emplace();
    ASSERT_TRUE(parse({}));
    EXPECT_TRUE(intervals->take_duration({"0.001"}));
    EXPECT_EQ(run(), 1);
}

TEST_F(IntervalsTest, TakeSecondsWithinReason)
{
    EXPECT_TRUE(parse({"-i", "0.001", "-d", "1000000"}));
    for (const char *option : {"-i", "-d"}) {
        for (const char *seconds : {"0", "0.0001", "1000001"}) {
            intervals.emplace();
            auto wrong = parse({option, seconds});
            ASSERT_FALSE(wrong) << option << seconds;
            EXPECT_EQ(wrong.error().kind, Error::Kind::Usage);
            EXPECT_TRUE(wrong.error().text.starts_with(option)) << wrong.error().text;
        }
    }
    auto renamed = parse({"-D", "0"}, {.duration = 'D'});
    ASSERT_FALSE(renamed);
    EXPECT_TRUE(renamed.error().text.starts_with("-D takes")) << renamed.error().text;
}

TEST_F(IntervalsTest, AreWhatNumbersCount)
{
    EXPECT_FALSE(parse({"-n", "3"}));
    intervals.emplace();
    EXPECT_FALSE(parse({"-i", "1", "-n", "0"}));
    intervals.emplace();
    EXPECT_TRUE(parse({"-n", "3"}, {.interval = 1}));
    EXPECT_TRUE(intervals->repeats());
}

TEST_F(IntervalsTest, MayCarryTheTimeOfDay)
{
    std::string out;
    ASSERT_TRUE(parse({"-i", "1"}));
    intervals->append_time(out);
    EXPECT_EQ(out.size(), 0u);
    intervals.emplace();
    ASSERT_TRUE(parse({"-T"}));
    intervals->append_time(out);
    ASSERT_EQ(out.size(), strlen("[17:05:59]\n"));
    EXPECT_EQ(out[0], '[');
    EXPECT_EQ(out[3], ':');
    intervals.emplace();
    EXPECT_FALSE(parse({"-T"}, {.always_time = true}));
}

TEST_F(IntervalsTest, ShowOnceAtTheEndWithoutOne)
{
    ASSERT_TRUE(parse({"-d", "0.02"}));
    EXPECT_EQ(run(), 1);
}

TEST_F(IntervalsTest, EndAfterSoManyOutputs)
{
    ASSERT_TRUE(parse({"-i", "0.01", "-n", "3"}));
    EXPECT_EQ(run(), 3);
}

// A run that ends in the middle of an interval also shows that part.
TEST_F(IntervalsTest, ShowTheRestAtTheEnd)
{
    ASSERT_TRUE(parse({"-i", "1000", "-d", "0.02"}));
    EXPECT_EQ(run(), 1);
}

// If the duration and an interval end at the same time, the interval is shown only once.
TEST_F(IntervalsTest, ShowTheLastIntervalOnce)
{
    ASSERT_TRUE(parse({"-i", "0.1", "-d", "0.2"}));
    EXPECT_EQ(run(), 2);
}

TEST_F(IntervalsTest, EndWithTheProcesses)
{
    ASSERT_TRUE(parse({"-i", "1000"}));
    auto child = Child::start({"true"});
    ASSERT_TRUE(child && child->release());
    EXPECT_EQ(run({.pids = {child->pid()}}), 1);
}

TEST_F(IntervalsTest, EndWhenNothingCanBeShown)
{
    ASSERT_TRUE(parse({"-i", "0.01"}));
    int shown = 0;
    auto result = intervals->run(*tool, "calls", {}, [&]() -> Result<> {
        shown++;
        return fail("the map is gone");
    });
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().text, "the map is gone");
    EXPECT_EQ(shown, 1);
}

TEST_F(IntervalsTest, DoNotBeginWhenWhatTheyLookAfterFails)
{
    ASSERT_TRUE(parse({"-i", "0.01"}));
    auto result = intervals->run(
        *tool, "calls", {},
        [] {
            ADD_FAILURE() << "shown";
            return Result<>();
        },
        [](Loop &) -> Result<> { return fail("not permitted"); });
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().text, "not permitted");
}

}  // namespace
}  // namespace uscope::run
