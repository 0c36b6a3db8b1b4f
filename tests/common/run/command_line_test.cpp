#include "run/tool.h"

#include <gtest/gtest.h>

namespace uscope::run {
namespace {

struct Parsing : testing::Test {
    Result<bool> parse(std::vector<const char *> words)
    {
        Tool tool("tool", {const_cast<char **>(words.data()), words.size()});
        tool.flag('f', "flag", flag, "a flag");
        tool.count('w', "wordy", verbose, "a count");
        tool.option('p', "pid", pids, "PID", "several");
        tool.option('n', "name", name, "TEXT", "a text");
        tool.option('t', "tid", OnlyOne{tid}, "TID", "a thread");
        tool.positional(values, "PROBE", "values");
        if (takes_command)
            tool.command(command);
        auto result = tool.parse();
        tool.out().buffer().clear();
        return result;
    }
    bool flag = false, takes_command = false;
    unsigned verbose = 0;
    std::vector<pid_t> pids;
    std::string name;
    std::optional<pid_t> tid;
    std::vector<std::string> values, command;

    std::string error(std::vector<const char *> words)
    {
        auto result = parse(std::move(words));
        return result ? "none" : result.error().text;
    }
};

TEST_F(Parsing, MixesOptionsAndValues)
{
    auto result = parse({"-f", "a:b", "-p", "1", "c:d", "-p2", "--name=x y", "-fww"});
    ASSERT_TRUE(result) << result.error().text;
    EXPECT_TRUE(flag);
    EXPECT_EQ(verbose, 2u);
    EXPECT_EQ(pids, (std::vector<pid_t>{1, 2}));
    EXPECT_EQ(name, "x y");
    EXPECT_EQ(values, (std::vector<std::string>{"a:b", "c:d"}));
}

TEST_F(Parsing, KeepsTheCommandBehindTheDashes)
{
    takes_command = true;
    ASSERT_TRUE(parse({"a:b", "--", "ls", "-f", "--"}));
    EXPECT_FALSE(flag);
    EXPECT_EQ(values, (std::vector<std::string>{"a:b"}));
    EXPECT_EQ(command, (std::vector<std::string>{"ls", "-f", "--"}));
}

TEST_F(Parsing, TakesWordsBehindTheDashesWithoutACommand)
{
    ASSERT_TRUE(parse({"a:b", "--", "-f", "--"}));
    EXPECT_FALSE(flag);
    EXPECT_EQ(values, (std::vector<std::string>{"a:b", "-f", "--"}));
}

TEST_F(Parsing, TakesNegativeNumbersAndASingleDashAsWords)
{
    ASSERT_TRUE(parse({"-1", "-", ""}));
    EXPECT_EQ(values, (std::vector<std::string>{"-1", "-", ""}));
}

TEST_F(Parsing, SaysWhichOptionIsWrong)
{
    auto result = parse({"-p", "bash"});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, Error::Kind::Usage);
    EXPECT_EQ(result.error().text, "-p,--pid: \"bash\" is not a process or thread id");
    EXPECT_EQ(error({"--nmae", "x"}),
              "unknown option --nmae; did you mean --name? (see tool --help)");
    EXPECT_EQ(error({"--zzzzzzzz=x"}), "unknown option --zzzzzzzz (see tool --help)");
    EXPECT_EQ(error({"-fy"}), "unknown option -y (see tool --help)");
    EXPECT_EQ(error({"--nam"}), "unknown option --nam; did you mean --name? (see tool --help)");
    EXPECT_EQ(error({"-p"}), "-p needs a value, PID (see tool --help)");
    EXPECT_EQ(error({"--name"}), "--name needs a value, TEXT (see tool --help)");
    EXPECT_EQ(error({"--flag=1"}), "--flag takes no value (see tool --help)");
    EXPECT_EQ(error({"--name="}), "-n,--name: the value is empty");
}

// Aliases and scripts give an option that the user then gives again.
TEST_F(Parsing, TakesTheLastValue)
{
    EXPECT_TRUE(parse({"--name", "a", "-f", "-nb", "-f"}));
    EXPECT_EQ(name, "b");
}

TEST_F(Parsing, RefusesTwoValuesOfAFilterThatTakesOne)
{
    EXPECT_EQ(error({"--tid", "1", "-t2"}), "-t,--tid: given twice, as \"1\" and \"2\"");
    EXPECT_TRUE(parse({"--tid", "1", "-t1", "-p1", "-p2"}));
}

TEST_F(Parsing, ShowsHelpInALineWithErrors)
{
    auto result = parse({"--no-such-option", "-p", "x", "--help"});
    ASSERT_TRUE(result) << result.error().text;
    EXPECT_FALSE(*result);
}

TEST(Positional, RefusesAWordTooMany)
{
    const char *words[] = {"a", "b"};
    Tool tool("tool", {const_cast<char **>(words), 2});
    std::string one;
    tool.positional(one, "FILTER", "one");
    auto result = tool.parse();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().text, "unexpected argument \"b\" (see tool --help)");
}

}  // namespace
}  // namespace uscope::run
