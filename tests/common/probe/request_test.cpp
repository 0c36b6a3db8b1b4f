#include "probe/request.h"
#include "base/format.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "support/value_names.h"

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
    std::string conversions;
    for (const Value &value : parsed->values)
        conversions += value.conversion;
    EXPECT_EQ(conversions, "sdds");
    EXPECT_EQ(parsed->values[0].form, expr::ValueForm::String);
    EXPECT_EQ(parsed->values[1].form, expr::ValueForm::Integer);
    // %.*s reads at most as many bytes as its length.
    EXPECT_EQ(parsed->values[3].node->kind, expr::NodeKind::Call);
    EXPECT_EQ(parsed->values[3].node->text, "str");
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

ProbeRequest specifier(std::string_view text, Gather gather)
{
    auto parsed = parse_specifier(text, gather);
    EXPECT_TRUE(parsed) << text << ": " << (parsed ? "" : parsed.error().text);
    return parsed ? std::move(*parsed) : ProbeRequest{};
}

TEST(ParseSpecifier, CountsByItsExpressionsAsTheirTypes)
{
    ProbeRequest parsed =
        specifier("p:c:f(int a, char *b):int,char *,double:a,b,*b:a > 1#x", Gather::Count);
    EXPECT_EQ(test::value_names(parsed), (test::Names{"a", "b", "*b"}));
    EXPECT_EQ(parsed.values[0].form, expr::ValueForm::Natural);
    EXPECT_EQ(parsed.values[1].form, expr::ValueForm::String);
    EXPECT_EQ(parsed.values[2].form, expr::ValueForm::Float);
    EXPECT_EQ(parsed.values[0].node->kind, expr::NodeKind::Cast);
    EXPECT_EQ(parsed.values[1].node->kind, expr::NodeKind::Name);
    EXPECT_TRUE(parsed.predicate);
    EXPECT_FALSE(parsed.measured);
    EXPECT_EQ(parsed.label, "x");
}

TEST(ParseSpecifier, AHistogramMeasuresItsLastExpression)
{
    ProbeRequest parsed =
        specifier("p:c:f(int a, int b):int,u8:a,b lin(0,10,1)", Gather::Histogram);
    EXPECT_EQ(test::value_names(parsed), test::Names{"a"});
    EXPECT_EQ(parsed.measured_text, "b");
    EXPECT_EQ(parsed.measured->kind, expr::NodeKind::Cast);
    EXPECT_TRUE(parsed.buckets);
}

TEST(ParseSpecifier, WithoutExpressionsItIsCallsOrResults)
{
    EXPECT_TRUE(specifier("p:c:f()", Gather::Count).values.empty());
    EXPECT_EQ(test::value_names(specifier("r:c:f()", Gather::Count)), test::Names{"retval"});
    ProbeRequest histogram = specifier("r:c:f()", Gather::Histogram);
    EXPECT_TRUE(histogram.values.empty());
    EXPECT_EQ(histogram.measured_text, "retval");
    EXPECT_FALSE(parse_specifier("p:c:f()", Gather::Histogram));
}

TEST(ParseSpecifier, AHistogramIsOfIntegers)
{
    for (const char *type : {"char*", "const char *", "float", "double"}) {
        std::string text = fmt::format("p:c:f(int a):{}:a", type);
        auto parsed = parse_specifier(text, Gather::Histogram);
        ASSERT_FALSE(parsed) << type;
        EXPECT_EQ(parsed.error().column, text.find(type));
    }
    auto parsed = parse_specifier("p:c:f(int a):int:a lin(0,9,1)", Gather::Count);
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().column, 19u);
}

TEST(OnlyOn, IsAConditionBesideTheProbesOwn)
{
    auto probe = parse_event("c:f");
    ASSERT_TRUE(only_on(0, *probe));
    EXPECT_EQ(probe->predicate->text, "==");
    EXPECT_EQ(probe->predicate->children[0]->text, "$cpu");
    EXPECT_EQ(probe->predicate->children[1]->number, 0u);

    probe = parse_event("c:f (arg1 || arg2)");
    ASSERT_TRUE(only_on(0, *probe));
    EXPECT_EQ(probe->predicate->text, "&&");
    EXPECT_EQ(probe->predicate->children[0]->children[0]->text, "$cpu");
    EXPECT_EQ(probe->predicate->children[1]->text, "||");
}

TEST(OnlyOn, TakesCpusThatThereAre)
{
    unsigned cpus = sysconf(_SC_NPROCESSORS_CONF);
    auto probe = parse_event("c:f");
    EXPECT_TRUE(only_on(cpus - 1, *probe));
    auto none = only_on(cpus, *probe);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().text,
              fmt::format("there is no CPU {}: the last one is {}", cpus, cpus - 1));
}

}  // namespace
}  // namespace uscope::probe
