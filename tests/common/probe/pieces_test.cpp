#include "probe/pieces.h"

#include <gtest/gtest.h>

namespace uscope::probe {
namespace {

spec::Probe probe(std::string_view text)
{
    auto parsed = spec::parse_probe(text);
    EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().text);
    return parsed ? std::move(*parsed) : spec::Probe{};
}

TEST(Pieces, HaveColumnsOfTheWholeText)
{
    std::string text = "c:f (arg1 == 1) \"%d %d\", arg2, arg3 + arg4";
    spec::Probe spec = probe(text);
    auto values = parse_list(spec, spec.values);
    ASSERT_TRUE(values) << values.error().text;
    ASSERT_EQ(values->size(), 2u);
    EXPECT_EQ((*values)[0]->column, text.find("arg2"));
    EXPECT_EQ((*values)[1]->children[0]->column, text.find("arg3"));
    EXPECT_EQ((*values)[1]->children[1]->column, text.find("arg4"));
}

TEST(Pieces, PointIntoTheWholeTextWhenTheyAreWrong)
{
    std::string text = "c:f (arg1 ==) \"%d\", arg2";
    auto condition = parse_condition(probe(text));
    ASSERT_FALSE(condition);
    EXPECT_EQ(condition.error().source, text);
    EXPECT_EQ(condition.error().column, text.find(") \""));
}

TEST(Pieces, ThatAreOneExpressionAreNotTwo)
{
    std::string text = "c:f (arg1, arg2)";
    auto condition = parse_condition(probe(text));
    ASSERT_FALSE(condition);
    EXPECT_EQ(condition.error().text, "a condition must be one expression");
    EXPECT_EQ(condition.error().column, text.find("arg2"));
}

TEST(Pieces, MayBeNoCondition)
{
    auto condition = parse_condition(probe("c:f \"%d\", arg1"));
    ASSERT_TRUE(condition);
    EXPECT_FALSE(*condition);
}

}  // namespace
}  // namespace uscope::probe
