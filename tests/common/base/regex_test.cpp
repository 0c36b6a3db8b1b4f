#include "base/regex.h"

#include <gtest/gtest.h>

namespace uscope {
namespace {

bool matches(const std::string &regex, std::string_view text)
{
    auto compiled = Regex::compile(regex);
    EXPECT_TRUE(compiled) << regex;
    return compiled && compiled->matches(text);
}

TEST(Regex, MatchesFromTheBeginning)
{
    EXPECT_TRUE(matches("str", "strlen"));
    EXPECT_FALSE(matches("len", "strlen"));
    EXPECT_TRUE(matches(".*len$", "strlen"));
    EXPECT_FALSE(matches("str$", "strlen"));
    EXPECT_FALSE(matches("a|bc", "xbc"));
}

TEST(Regex, IsExtended)
{
    EXPECT_TRUE(matches("^(read|write)v?$", "writev"));
    EXPECT_FALSE(matches("^(read|write)v?$", "write64"));
    EXPECT_TRUE(matches("_Z[0-9]+f", "_Z12f"));
}

TEST(Regex, EndsWithTheTextAndNotWithItsBytes)
{
    std::string_view name = std::string_view("readable").substr(0, 4);
    EXPECT_TRUE(matches("read$", name));
    EXPECT_FALSE(matches("reada", name));
}

TEST(Regex, SaysWhatIsWrong)
{
    auto regex = Regex::compile("(read");
    ASSERT_FALSE(regex);
    EXPECT_EQ(regex.error().text,
              "'(read' is not an extended regular expression: Unmatched ( or \\(");
}

}  // namespace
}  // namespace uscope
