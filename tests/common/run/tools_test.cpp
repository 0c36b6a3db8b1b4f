#include "run/tools.h"

#include <gtest/gtest.h>

#include "base/format.h"
#include "run/tool.h"

using namespace uscope;
using namespace uscope::run;

namespace {

Result<> count_main(Tool &)
{
    return {};
}
constexpr ToolEntry entries[] = {{"funccount", count_main},
                                 {"stackcount", count_main},
                                 {"trace", count_main},
                                 {"ugc", count_main}};

constexpr Alias known_aliases[] = {{"javagc", "ugc", "-l java"},
                                   {"slow_trace", "trace", "mysql PID MS"},
                                   {"absent", "no_tool", "-x"}};

std::string found(std::vector<const char *> words, std::span<const ToolEntry> among = entries)
{
    Invocation asked =
        find_tool(among, {const_cast<char **>(words.data()), words.size()}, known_aliases);
    return fmt::format("{}|{}|{}", asked.entry ? asked.entry->name : "-", asked.name, asked.words);
}

TEST(FindTool, GoesByTheNameOfTheProgram)
{
    EXPECT_EQ(found({"/usr/bin/trace", "ugc"}), "trace|trace|1");
    EXPECT_EQ(found({"trace"}), "trace|trace|1");
    EXPECT_EQ(found({"trace-uscope"}), "trace|trace-uscope|1");
    EXPECT_EQ(found({"./ustackcount"}), "stackcount|ustackcount|1");
}

TEST(FindTool, TakesTheLongestNameInIt)
{
    EXPECT_EQ(found({"ugc-funccount"}), "funccount|ugc-funccount|1");
}

TEST(FindTool, ElseGoesByTheFirstWord)
{
    EXPECT_EQ(found({"/opt/uscope", "trace", "--help"}), "trace|uscope trace|2");
    EXPECT_EQ(found({"uscope-1.0", "ugc"}), "ugc|uscope-1.0 ugc|2");
}

TEST(FindTool, TakesACommandOnlyAsAWord)
{
    constexpr ToolEntry with_command[] = {{"trace", count_main}, {"doctor", count_main, true}};
    EXPECT_EQ(found({"uscope", "doctor", "1"}, with_command), "doctor|uscope doctor|2");
    EXPECT_EQ(found({"doctor", "1"}, with_command), "-|doctor|1");
    EXPECT_EQ(found({"doctor", "trace"}, with_command), "trace|doctor trace|2");
}

TEST(FindTool, FindsNoneWhereNoneIsNamed)
{
    EXPECT_EQ(found({"uscope"}), "-|uscope|1");
    EXPECT_EQ(found({"uscope", "--help"}), "-|uscope|1");
    EXPECT_EQ(found({"uscope", "trac"}), "-|uscope|1");
    EXPECT_EQ(found({"uscope", ""}), "-|uscope|1");
    EXPECT_EQ(found({}), "-|uscope|1");
}

std::string arguments(std::vector<const char *> words)
{
    std::span<char *const> all{const_cast<char **>(words.data()), words.size()};
    Invocation asked = find_tool(entries, all, known_aliases);
    std::span<char *const> typed = all.subspan(size_t(asked.words));
    return asked.name + ":" + join(asked.arguments({typed.begin(), typed.end()}), "|");
}

TEST(FindTool, KnowsAliasesAsWordsAndInTheNameOfTheProgram)
{
    EXPECT_EQ(arguments({"uscope", "javagc", "-v", "1"}), "uscope ugc:-l|java|-v|1");
    EXPECT_EQ(arguments({"/bin/xjavagc-y", "1"}), "xugc-y:-l|java|1");
    EXPECT_EQ(arguments({"uscope", "ugc", "1"}), "uscope ugc:1");
    EXPECT_EQ(found({"uscope", "absent"}), "-|uscope|1");
    EXPECT_EQ(found({"absent", "ugc"}), "ugc|absent ugc|2");
}

TEST(FindTool, GivesPidAndTimeOfAnAliasAsOptions)
{
    EXPECT_EQ(arguments({"uscope", "slow_trace"}), "uscope trace:mysql");
    EXPECT_EQ(arguments({"uscope", "slow_trace", "181"}), "uscope trace:mysql|-p|181");
    EXPECT_EQ(arguments({"slow_trace", "181", "10"}), "trace:mysql|-p|181|-m|10");
    EXPECT_EQ(arguments({"slow_trace", "181", "-v"}), "trace:mysql|-p|181|-v");
    EXPECT_EQ(arguments({"slow_trace", "-v", "181"}), "trace:mysql|-v|181");
    EXPECT_EQ(arguments({"slow_trace", ""}), "trace:mysql|-p|");
}

TEST(FindTool, KnowsWhetherAnAliasHasItsPid)
{
    auto lacks_pid = [](std::vector<const char *> line) {
        std::span<char *const> all{const_cast<char **>(line.data()), line.size()};
        return find_tool(entries, all, known_aliases).lacks_pid({line.begin() + 1, line.end()});
    };
    EXPECT_TRUE(lacks_pid({"slow_trace"}));
    EXPECT_TRUE(lacks_pid({"slow_trace", "--json"}));
    EXPECT_FALSE(lacks_pid({"slow_trace", "181"}));
    EXPECT_FALSE(lacks_pid({"slow_trace", "-p181"}));
    EXPECT_FALSE(lacks_pid({"slow_trace", "--help"}));
    EXPECT_FALSE(lacks_pid({"trace"}));
    EXPECT_FALSE(lacks_pid({"javagc"}));
}

TEST(FindTool, IsTheOnlyOneWhateverTheProgramsName)
{
    std::span<const ToolEntry> one(entries + 2, 1);
    EXPECT_EQ(found({"/tmp/x", "ugc"}, one), "trace|x|1");
    EXPECT_EQ(found({"ugc"}, one), "trace|ugc|1");
    EXPECT_EQ(found({}, one), "trace|uscope|1");
}

TEST(Described, HasTheSummaryAndPrintsNothing)
{
    Tool tool{Tool::Described()};
    tool.summary(Question::Calls, "does something");
    bool flag = false;
    tool.flag('f', "flag", flag, "a flag");
    auto parsed = tool.parse();
    ASSERT_TRUE(parsed);
    EXPECT_FALSE(*parsed);
    EXPECT_EQ(tool.summary(), "does something");
    EXPECT_EQ(tool.out().buffer().size(), 0u);
}

}  // namespace
