#include "spec/specifier.h"

#include <gtest/gtest.h>

namespace uscope::spec {
namespace {

std::vector<std::string> texts(const std::vector<Piece> &pieces)
{
    std::vector<std::string> texts;
    for (const Piece &piece : pieces)
        texts.push_back(piece.text);
    return texts;
}

using Texts = std::vector<std::string>;

Specifier specifier(std::string_view text)
{
    auto specifier = parse_specifier(text);
    EXPECT_TRUE(specifier) << text << ": " << (specifier ? "" : specifier.error().text);
    return specifier ? *specifier : Specifier{};
}

Error refused(std::string_view text)
{
    auto specifier = parse_specifier(text);
    EXPECT_FALSE(specifier) << text;
    return specifier ? Error{} : specifier.error();
}

TEST(Specifier, CallsAreCountedWithoutExpressions)
{
    Specifier s = specifier("p:c:fork()");
    EXPECT_EQ(s.probe.kind, ProbeKind::Entry);
    EXPECT_EQ(s.probe.library.text, "c");
    EXPECT_EQ(s.probe.function.text, "fork");
    EXPECT_TRUE(s.expressions.empty());
    EXPECT_EQ(s.label, "p:c:fork()");
    EXPECT_FALSE(s.has_label);
}

TEST(Specifier, TypesExpressionsFilterAndLabel)
{
    std::string text = "p:c:write(int fd, void *buf, size_t n):int,size_t:fd,n:n > 0#by file";
    Specifier s = specifier(text);
    EXPECT_EQ(s.probe.signature.size(), 3u);
    EXPECT_EQ(texts(s.types), (Texts{"int", "size_t"}));
    EXPECT_EQ(texts(s.expressions), (Texts{"fd", "n"}));
    EXPECT_EQ(s.probe.predicate.text, "n > 0");
    EXPECT_EQ(s.probe.predicate.column, text.find("n > 0"));
    EXPECT_EQ(s.label, "by file");
    EXPECT_TRUE(s.has_label);
}

TEST(Specifier, AReturnAndItsVariables)
{
    Specifier s = specifier("r:c:gets():char*:$retval:$latency > 1000");
    EXPECT_EQ(s.probe.kind, ProbeKind::Return);
    EXPECT_EQ(texts(s.types), (Texts{"char*"}));
    EXPECT_EQ(texts(s.expressions), (Texts{"$retval"}));
    EXPECT_EQ(s.probe.predicate.text, "$latency > 1000");
}

TEST(Specifier, UsdtWithAndWithoutProvider)
{
    Specifier s = specifier("u:/usr/sbin/postgres:query__start():char*:str(arg1)");
    EXPECT_EQ(s.probe.kind, ProbeKind::Usdt);
    EXPECT_EQ(s.probe.event.text, "query__start");
    s = specifier("u:postgres:postgresql:query__start():char*:arg1");
    EXPECT_EQ(s.probe.category.text, "postgresql");
    EXPECT_EQ(s.probe.event.text, "query__start");
}

TEST(Specifier, ATracepoint)
{
    Specifier s = specifier("t:block:block_rq_complete():u32:args->nr_sector");
    EXPECT_EQ(s.probe.kind, ProbeKind::Tracepoint);
    EXPECT_EQ(s.probe.category.text, "block");
    EXPECT_EQ(texts(s.expressions), (Texts{"args->nr_sector"}));
}

TEST(Specifier, SeparatorsInsideExpressionsDoNotSeparate)
{
    Specifier s =
        specifier("p:c:f(int a, int b):int,char*:a ? b : f(a, b),str(\"x:y,#\", 3):a != ':'");
    EXPECT_EQ(texts(s.expressions), (Texts{"a ? b : f(a, b)", "str(\"x:y,#\", 3)"}));
    EXPECT_EQ(s.probe.predicate.text, "a != ':'");
    s = specifier("p:./x:f(int a):ns::type,u8:a,(ns::type)a");
    EXPECT_EQ(texts(s.expressions), (Texts{"a", "(ns::type)a"}));
}

TEST(Specifier, CppAndGoNames)
{
    Specifier s = specifier("p:./x:ns::f(int)(int a):int:a");
    EXPECT_EQ(s.probe.function.text, "ns::f(int)");
    EXPECT_EQ(s.probe.signature.size(), 1u);
    s = specifier("p:./x:main.(*T).Do():u64:1");
    EXPECT_EQ(s.probe.function.text, "main.(*T).Do");
}

TEST(Specifier, LinearBuckets)
{
    Specifier s =
        specifier("p:c:write(int fd, void *b, size_t n):size_t:n lin(-10, 0x40, 5):fd == 1");
    ASSERT_TRUE(s.linear);
    EXPECT_EQ(s.linear->min, -10);
    EXPECT_EQ(s.linear->max, 64);
    EXPECT_EQ(s.linear->step, 5u);
    EXPECT_EQ(texts(s.expressions), (Texts{"n"}));
    EXPECT_EQ(s.probe.predicate.text, "fd == 1");
    EXPECT_NE(refused("p:c:f(int a):int:a lin(1,2)").text.find("lin(MIN,MAX,STEP)"),
              std::string::npos);
    EXPECT_NE(refused("p:c:f(int a):int:a lin(0,100000,1)").text.find("the maximum is 1000"),
              std::string::npos);
    EXPECT_NE(refused("p:c:f(int a):int:a lin(5,5,1)").text.find("MIN < MAX"), std::string::npos);
}

TEST(Specifier, WhatIsWrongIsShownAtItsPlace)
{
    EXPECT_EQ(refused("p:c:malloc:size_t:size").kind, Error::Kind::Usage);
    Error error = refused("p:c:f(int a):int");
    EXPECT_EQ(error.column, 13u);
    EXPECT_NE(error.text.find("expression"), std::string::npos);
    EXPECT_EQ(refused("p:c:f(int a):int:a,a").column, 13u);
    EXPECT_EQ(refused("p:c:f(int a):int,int:a,").column, 23u);
    EXPECT_EQ(refused("p:c:f(int a):int:a:a > 1:2").column, 25u);
    EXPECT_EQ(refused("p:c:f(int a) int").column, 13u);
    EXPECT_EQ(refused("p:c:f(int a):int:a:").column, 19u);
}

}  // namespace
}  // namespace uscope::spec
