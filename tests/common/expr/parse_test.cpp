#include "expr/parse.h"
#include "base/format.h"

#include <gtest/gtest.h>

using namespace uscope;
using namespace uscope::expr;

namespace {

// Returns the tree of an expression as text, with all parentheses.
std::string text_of(const Node &node)
{
    auto child = [&](size_t index) { return text_of(*node.children[index]); };
    switch (node.kind) {
    case NodeKind::Number:
        return fmt::format("{}{}{}", node.number, node.is_unsigned ? "u" : "",
                           node.is_long ? "l" : "");
    case NodeKind::Text:
        return "\"" + node.text + "\"";
    case NodeKind::Name:
        return node.text;
    case NodeKind::Unary:
        return node.text + child(0);
    case NodeKind::Binary:
        return "(" + child(0) + node.text + child(1) + ")";
    case NodeKind::Conditional:
        return "(" + child(0) + "?" + child(1) + ":" + child(2) + ")";
    case NodeKind::Cast:
        return "<" + node.text + ">" + child(0);
    case NodeKind::Index:
        return child(0) + "[" + child(1) + "]";
    case NodeKind::Member:
        return child(0) + "." + node.text;
    case NodeKind::Arrow:
        return child(0) + "->" + node.text;
    case NodeKind::SizeOf:
        return "sizeof<" + node.text + ">";
    case NodeKind::OffsetOf:
        return "offsetof<" + node.text + ">" + child(0);
    case NodeKind::Call:
        break;
    }
    std::string text = node.text + "(";
    for (size_t i = 0; i < node.children.size(); i++)
        text += (i ? "," : "") + child(i);
    return text + ")";
}

std::string parsed(std::string_view text)
{
    auto node = parse(text);
    if (!node)
        return fmt::format("error at {}: {}", node.error().column, node.error().text);
    return text_of(**node);
}

size_t error_column(std::string_view text)
{
    auto node = parse(text);
    EXPECT_FALSE(node.has_value()) << text;
    if (node)
        return SIZE_MAX;
    EXPECT_EQ(node.error().source, text);
    EXPECT_EQ(node.error().kind, Error::Kind::Usage);
    return node.error().column;
}

TEST(Parse, HasThePrecedenceOfC)
{
    EXPECT_EQ(parsed("a+b*c-d"), "((a+(b*c))-d)");
    EXPECT_EQ(parsed("a||b&&c|d^e&f==g<h<<i+j*k"), "(a||(b&&(c|(d^(e&(f==(g<(h<<(i+(j*k))))))))))");
    EXPECT_EQ(parsed("a-b-c"), "((a-b)-c)");
    EXPECT_EQ(parsed("a?b:c?d:e"), "(a?b:(c?d:e))");
    EXPECT_EQ(parsed("-a*!b"), "(-a*!b)");
    EXPECT_EQ(parsed("*p->q[1].r"), "*p->q[1].r");
    EXPECT_EQ(parsed("(a+b)*c"), "((a+b)*c)");
}

TEST(Parse, TypesNumbersAsC)
{
    EXPECT_EQ(parsed("2147483647"), "2147483647");
    EXPECT_EQ(parsed("2147483648"), "2147483648l");
    EXPECT_EQ(parsed("0x80000000"), "2147483648u");
    EXPECT_EQ(parsed("0xffffffffffffffff"), "18446744073709551615ul");
    EXPECT_EQ(parsed("5u"), "5u");
    EXPECT_EQ(parsed("5UL"), "5ul");
    EXPECT_EQ(parsed("017"), "15");
    EXPECT_EQ(parsed("0"), "0");
    EXPECT_EQ(parsed("'a'"), "97");
    EXPECT_EQ(parsed("'\\n'"), "10");
}

TEST(Parse, TellsCastsFromParentheses)
{
    EXPECT_EQ(parsed("(int)a"), "<int>a");
    EXPECT_EQ(parsed("(int)-1"), "<int>-1");
    EXPECT_EQ(parsed("(a)-1"), "(a-1)");
    EXPECT_EQ(parsed("(size_t)-1"), "<size_t>-1");
    EXPECT_EQ(parsed("(unsigned long)a + 1"), "(<unsigned long>a+1)");
    EXPECT_EQ(parsed("((struct client *)arg1)->fd"), "<struct client *>arg1->fd");
    EXPECT_EQ(parsed("(redisObject **)arg1"), "<redisObject **>arg1");
    EXPECT_EQ(parsed("(ns::Thing *)arg1"), "<ns::Thing *>arg1");
    EXPECT_EQ(parsed("(client)arg1"), "<client>arg1");
    EXPECT_EQ(parsed("(a*b)"), "(a*b)");
    EXPECT_EQ(parsed("(a)*b"), "(a*b)");
    EXPECT_EQ(parsed("sizeof(struct client)"), "sizeof<struct client>");
}

TEST(Parse, ReadsExtensionsToC)
{
    EXPECT_EQ(parsed("$pid == 1"), "($pid==1)");
    EXPECT_EQ(parsed("arg2@user"), "@userarg2");
    EXPECT_EQ(parsed("STRCMP(\"GET\", arg1)"), "STRCMP(\"GET\",arg1)");
    EXPECT_EQ(parsed("$entry(str(arg1, 5)) == \"a\\x41\\\"\\t\""),
              "($entry(str(arg1,5))==\"aA\"\t\")");
    EXPECT_EQ(parsed("args->filename"), "args->filename");
}

TEST(Parse, KeepsNulsOfLiterals)
{
    auto node = parse("a == \"x\\0y\"");
    ASSERT_TRUE(node.has_value());
    EXPECT_EQ((*node)->children[1]->text, std::string("x\0y", 3));
}

TEST(Parse, PointsAtTheMistake)
{
    EXPECT_EQ(error_column(""), 0u);
    EXPECT_EQ(error_column("a + "), 4u);
    EXPECT_EQ(error_column("a = b"), 2u);
    EXPECT_EQ(error_column("(a"), 2u);
    EXPECT_EQ(error_column("a b"), 2u);
    EXPECT_EQ(error_column("a == \"x"), 5u);
    EXPECT_EQ(error_column("a + #"), 4u);
    EXPECT_EQ(error_column("18446744073709551616"), 0u);
    EXPECT_EQ(error_column("12ab"), 2u);
    EXPECT_EQ(error_column("1.5"), 0u);
    EXPECT_EQ(error_column("p->"), 3u);
    EXPECT_EQ(error_column("x@kernel"), 1u);
    EXPECT_EQ(error_column("a ? b"), 5u);
    EXPECT_EQ(error_column("''"), 0u);
}

TEST(Parse, BoundsTheDepthOfHostileText)
{
    for (const char *repeated : {"(", "!", "-", "a+", "a[", "a?", "f(", "a?b:", "(int)", "p->"}) {
        std::string text;
        for (int i = 0; i < 20000; i++)
            text += repeated;
        EXPECT_FALSE(parse(text).has_value()) << repeated;
    }
    std::string chain = "a";
    for (int i = 0; i < 20000; i++)
        chain += "+a";
    EXPECT_FALSE(parse(chain).has_value());
}

TEST(Parse, TakesALongChainOfAlternatives)
{
    std::string chain = "arg1==0";
    for (int i = 1; i < 100; i++)
        chain += fmt::format("||arg1=={}", i);
    EXPECT_TRUE(parse(chain).has_value());
}

TEST(Parse, SplitsListsAtTopLevelCommas)
{
    auto nodes = parse_list("a, f(b, c), \"x,y\", d[e]");
    ASSERT_TRUE(nodes.has_value());
    ASSERT_EQ(nodes->size(), 4u);
    EXPECT_EQ(text_of(*(*nodes)[1]), "f(b,c)");
    EXPECT_EQ((*nodes)[3]->children[0]->column, 19u);
    EXPECT_TRUE(parse_list("  ")->empty());
    EXPECT_FALSE(parse_list("a,").has_value());
}

}  // namespace
