#include "run/tools.h"

#include <gtest/gtest.h>

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

std::string found(std::vector<const char *> words, std::span<const ToolEntry> among = entries)
{
    Invocation asked = find_tool(among, {const_cast<char **>(words.data()), words.size()});
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
