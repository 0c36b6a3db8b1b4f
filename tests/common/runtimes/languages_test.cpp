#include "runtimes/languages.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace uscope::runtimes {
namespace {

using Words = Languages::Words;
using Fallback = Languages::Fallback;

struct LanguagesTest : testing::Test {
    std::string error(std::vector<std::string> words, const Languages::Style &style = {})
    {
        std::vector<char *> arguments;
        for (std::string &word : words)
            arguments.push_back(word.data());
        tool.emplace("ucalls", arguments);
        languages.emplace();
        languages->declare(*tool, style);
        auto parsed = tool->parse();
        auto result = parsed ? languages->check(&intervals) : Result<>(Failure(parsed.error()));
        return result ? "" : result.error().text;
    }
    std::optional<run::Tool> tool;
    std::optional<Languages> languages;
    run::Intervals intervals;
    const std::string own = std::to_string(getpid());
    const Languages::Style with_interval = {.words = Words::PidAndInterval};
};

TEST_F(LanguagesTest, AreOfProcessesThatAreNamed)
{
    EXPECT_EQ(error({own, own}), "");
    EXPECT_EQ(languages->processes.pids.size(), 2u);
    EXPECT_EQ(error({"-p", own}), "");
    EXPECT_EQ(error({"--comm", "java"}), "");
    EXPECT_EQ(error({}), "which process? Give its PID, --comm NAME or --container NAME");
    EXPECT_EQ(error({"java"}), "\"java\" is not a process or thread id");
}

TEST_F(LanguagesTest, TakeAnIntervalAsBccDoes)
{
    EXPECT_EQ(error({own}, with_interval), "");
    EXPECT_FALSE(intervals.repeats());
    EXPECT_EQ(error({own, "0.5"}, with_interval), "");
    EXPECT_TRUE(intervals.repeats());
    EXPECT_EQ(languages->processes.pids.size(), 1u);
    EXPECT_EQ(error({own, "x"}, with_interval), "\"x\" is not a time (250us, 1.5ms, 2s)");
    EXPECT_EQ(
        error({own, "1", "2"}, with_interval),
        "unexpected argument \"2\": expected PID [INTERVAL]; use -p to trace several processes");
}

TEST_F(LanguagesTest, AreThoseThatTheToolKnows)
{
    EXPECT_EQ(error({"-l", "python", own}), "");
    EXPECT_NE(error({"-l", "cobol", own}), "");
    EXPECT_NE(error({"-l", "c", own}), "");
    EXPECT_EQ(error({"-l", "c", own}, {.fallback = Fallback::LibC}), "");
    EXPECT_NE(error({"-l", "none", own}), "");
    EXPECT_EQ(error({"-l", "none", own}, {.fallback = Fallback::Optional}), "");
    EXPECT_TRUE(languages->is_none());
    auto none = languages->find(lang::Event::Call);
    ASSERT_TRUE(none);
    EXPECT_TRUE(none->empty());
}

TEST_F(LanguagesTest, SayWhatIsTraced)
{
    EXPECT_EQ(error({own}), "");
    lang::Runtime java;
    java.language = &lang::java;
    EXPECT_EQ(languages->traced({java, java}), "process " + own + " (language: java)");
    EXPECT_EQ(languages->traced({}), "process " + own + " (language: none)");
    EXPECT_EQ(error({own, "-p", own}), "");
    EXPECT_EQ(languages->traced({}), "processes " + own + ", " + own + " (language: none)");
}

TEST_F(LanguagesTest, AreMissingWhereNobodyIsCalledSo)
{
    EXPECT_EQ(error({"--comm", "no such name"}), "");
    auto none = languages->find(lang::Event::Call);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().text, "no running process matches; pass a PID");
}

}  // namespace
}  // namespace uscope::runtimes
