#include <gtest/gtest.h>

#include "probe/parsed.h"

namespace uscope::probe {
namespace {

std::string error_of(std::string_view text, bool binary = false)
{
    auto parsed = parse_event(text, binary);
    return parsed ? "" : parsed.error().text;
}

TEST(ParseProbe, PairsValuesWithTheFormat)
{
    auto parsed = parse_event("c:f (arg1 == 1) \"%s %ld %.*s\", arg1, arg2, 4, arg3");
    ASSERT_TRUE(parsed) << parsed.error().text;
    EXPECT_TRUE(parsed->predicate);
    ASSERT_EQ(parsed->values.size(), 4u);
    EXPECT_EQ(parsed->conversions, (std::vector<char>{'s', 'd', 'd', 's'}));
    EXPECT_EQ(parsed->wanted[0], expr::Wanted::String);
    EXPECT_EQ(parsed->wanted[1], expr::Wanted::Integer);
    // %.*s reads no further than its length.
    EXPECT_EQ(parsed->values[3]->kind, expr::NodeKind::Call);
    EXPECT_EQ(parsed->values[3]->text, "str");
}

TEST(ParseProbe, CountsColumnsFromTheWholeText)
{
    std::string text = "c:f (arg1 == 1) \"%s\", arg1 + ";
    auto parsed = parse_event(text);
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().source, text);
    EXPECT_GT(parsed.error().column, text.find("arg1 +"));
}

TEST(ParseProbe, RefusesTooFewAndTooManyValues)
{
    EXPECT_EQ(error_of("c:f \"%s %s\" arg1"), "the format shows 2 values, but 1 is given");
    EXPECT_EQ(error_of("c:f \"%s\" arg1, arg2"), "the format shows 1 value, but 2 are given");
}

TEST(ParseProbe, ComparesBytesOfAnInitializer)
{
    auto parsed = parse_event("c:f (STRCMP(\"{0x6c, 0, 255}\", arg1))", true);
    ASSERT_TRUE(parsed) << parsed.error().text;
    const expr::Node &node = *parsed->predicate;
    EXPECT_EQ(node.kind, expr::NodeKind::Binary);
    EXPECT_EQ(node.children[0]->text, "buf");
    EXPECT_EQ(node.children[1]->text, std::string("\x6c\0\xff", 3));
    EXPECT_NE(error_of("c:f (STRCMP(\"abc\", arg1))", true), "");
}

TEST(ParseProbe, TakesCharactersInAnInitializer)
{
    auto parsed = parse_event(
        R"(c:f (STRCMP("{'a', ',', '\0', '\x6c' ,'\n','\'', '\"', '\xff', 97}", arg1)))", true);
    ASSERT_TRUE(parsed) << parsed.error().text;
    EXPECT_EQ(parsed->predicate->children[1]->text, std::string("a,\0l\n'\"\xff"
                                                                "a",
                                                                9));
}

TEST(ParseProbe, PointsAtWhatIsNoByteOfAnInitializer)
{
    struct Mistake {
        std::string list, at;
    };
    for (const auto &[list, at] : std::initializer_list<Mistake>{{"{1, 256}", "256"},
                                                                 {"{1, x}", "x"},
                                                                 {"{'ab'}", "'ab'"},
                                                                 {"{}", "}"},
                                                                 {"{-1}", "-1"},
                                                                 {"{1,}", "}"},
                                                                 {"{1 2}", "2"},
                                                                 {"abc", "abc"},
                                                                 {"{1} 2", "{"}}) {
        std::string text = "c:f (STRCMP(\"" + list + "\", arg1))";
        auto parsed = parse_event(text, true);
        ASSERT_FALSE(parsed) << list;
        EXPECT_EQ(parsed.error().source, text);
        EXPECT_EQ(parsed.error().column, text.find(list) + list.find(at)) << list;
    }
}

}  // namespace
}  // namespace uscope::probe
