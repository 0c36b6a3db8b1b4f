#include "run/tool.h"
#include "base/format.h"

#include <gtest/gtest.h>

namespace uscope::run {
namespace {

template <class T>
std::optional<T> parsed(std::string_view text)
{
    T value = {};
    if (!parse_value(text, value))
        return {};
    return value;
}

TEST(ParseValue, TakesSizesWithUnits)
{
    EXPECT_EQ(parsed<ByteSize>("65536")->bytes, 65536u);
    EXPECT_EQ(parsed<ByteSize>("512K")->bytes, 512u << 10);
    EXPECT_EQ(parsed<ByteSize>("4M")->bytes, 4u << 20);
    EXPECT_FALSE(parsed<ByteSize>("M"));
    EXPECT_FALSE(parsed<ByteSize>("4X"));
    EXPECT_FALSE(parsed<ByteSize>("99999999999999999999G"));
}

TEST(ParseValue, RefusesWhatIsNoProcessId)
{
    EXPECT_EQ(parsed<pid_t>("181"), 181);
    EXPECT_FALSE(parsed<pid_t>("0"));
    EXPECT_FALSE(parsed<pid_t>("-1"));
    EXPECT_FALSE(parsed<pid_t>("4294967296"));
    EXPECT_FALSE(parsed<pid_t>("bash"));
}

TEST(ParseValue, TakesSecondsWithAFraction)
{
    EXPECT_EQ(parsed<double>("0.5"), 0.5);
    EXPECT_FALSE(parsed<double>("-1"));
    EXPECT_FALSE(parsed<double>("nan"));
    EXPECT_FALSE(parsed<double>("1s"));
    EXPECT_FALSE(parsed<double>(""));
}

TEST(ParseValue, TakesTimesWithAndWithoutAUnit)
{
    uint64_t ns = 7;
    auto parse = [&](const char *text) -> Result<uint64_t> {
        TRY(parse_value(text, Duration{ns, 1'000'000}));
        return ns;
    };
    EXPECT_EQ(*parse("10"), 10'000'000u);
    EXPECT_EQ(*parse("0.5"), 500'000u);
    EXPECT_EQ(*parse("250us"), 250'000u);
    EXPECT_EQ(*parse("1.5ms"), 1'500'000u);
    EXPECT_EQ(*parse("3ns"), 3u);
    EXPECT_EQ(*parse("2s"), 2'000'000'000u);
    EXPECT_EQ(*parse("0"), 0u);
    for (const char *text : {"", "ms", "-1ms", "1m", "1 s", "1e30s"}) {
        auto result = parse_value(text, Duration{ns, 1});
        ASSERT_FALSE(result) << text;
        EXPECT_EQ(result.error().text,
                  fmt::format("\"{}\" is not a time (250us, 1.5ms, 2s)", text));
    }
}

TEST(ParseValue, NamesTheRangeOfANumber)
{
    unsigned bytes = 80;
    EXPECT_TRUE(parse_value("1", InRange{bytes, 1, 65536}));
    EXPECT_EQ(bytes, 1u);
    for (const char *text : {"0", "65537", "-1", "x"}) {
        auto result = parse_value(text, InRange{bytes, 1, 65536});
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().text, fmt::format("\"{}\" is not a number from 1 to 65536", text));
    }
    EXPECT_EQ(bytes, 1u);
}

struct CommandLine : testing::Test {
    Result<bool> parse(std::vector<const char *> words)
    {
        Tool tool("tool", {const_cast<char **>(words.data()), words.size()});
        tool.flag('f', "flag", flag, "a flag");
        tool.count('V', "very", verbose, "a count");
        tool.option('p', "pid", pids, "PID", "several");
        tool.option('n', "name", name, "TEXT", "a text");
        tool.positional(values, "PROBE", "values");
        if (takes_command)
            tool.command(command);
        return tool.parse();
    }
    bool flag = false, takes_command = false;
    unsigned verbose = 0;
    std::vector<pid_t> pids;
    std::string name;
    std::vector<std::string> values, command;
};

TEST_F(CommandLine, MixesOptionsAndValues)
{
    auto result = parse({"-f", "a:b", "-p", "1", "c:d", "-p2", "--name=x y", "-VV"});
    ASSERT_TRUE(result) << result.error().text;
    EXPECT_TRUE(flag);
    EXPECT_EQ(verbose, 2u);
    EXPECT_EQ(pids, (std::vector<pid_t>{1, 2}));
    EXPECT_EQ(name, "x y");
    EXPECT_EQ(values, (std::vector<std::string>{"a:b", "c:d"}));
}

TEST_F(CommandLine, KeepsTheCommandBehindTheDashes)
{
    takes_command = true;
    ASSERT_TRUE(parse({"a:b", "--", "ls", "-f", "--"}));
    EXPECT_FALSE(flag);
    EXPECT_EQ(values, (std::vector<std::string>{"a:b"}));
    EXPECT_EQ(command, (std::vector<std::string>{"ls", "-f", "--"}));
}

TEST_F(CommandLine, SaysWhichOptionIsWrong)
{
    auto result = parse({"-p", "bash"});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, Error::Kind::Usage);
    EXPECT_EQ(result.error().text, "-p,--pid: \"bash\" is not a process or thread id");
    EXPECT_FALSE(parse({"--no-such-option"}));
    EXPECT_FALSE(parse({"-p"}));
}

// Help is the same with every version of CLI11; some accept no blank in a positional's name.
TEST(Help, ShowsWhatWasDeclared)
{
    const char *words[] = {"--help"};
    Tool tool("tool", {const_cast<char **>(words), 1});
    bool flag = false;
    std::string name, probe;
    std::vector<std::string> values;
    tool.summary("does something");
    tool.explain("A grammar.");
    tool.example("tool x", "an example");
    tool.positional(probe, "FILTER", "one");
    tool.group("Which");
    tool.flag('f', "", flag, "a flag");
    tool.option('n', "name,a-very-long-name", name, "TEXT", "a text\nof two lines");
    tool.group("Options");
    tool.flag(0, "flag", flag, "among the first");
    tool.positional(values, "PID [INTERVAL]", "several");
    auto result = tool.parse();
    ASSERT_TRUE(result) << result.error().text;
    EXPECT_FALSE(*result);
    EXPECT_EQ(tool.out().buffer(), R"(does something
Usage: tool [OPTIONS] [FILTER] [PID [INTERVAL]...]

Positionals:
  FILTER                      one
  PID [INTERVAL] ...          several

Options:
  -h,--help                   show this help
  --version                   show the version
  --flag                      among the first


Which:
  -f                          a flag
  -n,--name,--a-very-long-name TEXT
                              a text
                              of two lines


Working:
  -v,--verbose                show what is attached, with the programs
  --dry-run                   show what would be attached, and exit
  --stats                     at the end, show event counts and the cost of programs and tool


A grammar.

Examples:
  tool x
      an example

)");
    tool.out().buffer().clear();
}

}  // namespace
}  // namespace uscope::run
