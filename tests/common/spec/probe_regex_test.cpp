#include <gtest/gtest.h>

#include "spec/probe.h"

namespace uscope::spec {
namespace {

Probe parsed(std::string_view text)
{
    auto probe = parse_regex(text);
    EXPECT_TRUE(probe) << text;
    EXPECT_TRUE(!probe || probe->is_regex);
    return probe ? *probe : Probe{};
}

TEST(ParseRegex, LeavesTheExpressionAsItIs)
{
    Probe probe = parsed("c:^(str|mem)[[:alpha:]]* ns::f(int)$");
    EXPECT_EQ(probe.kind, ProbeKind::Entry);
    EXPECT_EQ(probe.library.text, "c");
    EXPECT_EQ(probe.function.text, "^(str|mem)[[:alpha:]]* ns::f(int)$");
    EXPECT_EQ(probe.function.column, 2u);
}

TEST(ParseRegex, KnowsTheKindByItsLetter)
{
    EXPECT_EQ(parsed("p:/bin/x:f").library.text, "/bin/x");
    EXPECT_EQ(parsed("r:c:f").kind, ProbeKind::Return);
    Probe usdt = parsed("u:node:http.*:x");
    EXPECT_EQ(usdt.kind, ProbeKind::Usdt);
    EXPECT_EQ(usdt.library.text, "node");
    EXPECT_EQ(usdt.event.text, "http.*:x");
    Probe tracepoint = parsed("t:sched:.*");
    EXPECT_EQ(tracepoint.kind, ProbeKind::Tracepoint);
    EXPECT_EQ(tracepoint.event.text, "sched:.*");
}

TEST(ParseRegex, WithoutAFileIsOfTheKernel)
{
    EXPECT_EQ(parsed("^vfs_.*").library.text, "");
    EXPECT_EQ(parsed("p::f").library.text, "");
}

TEST(ParseRegex, IsNotEmpty)
{
    for (auto text : {"", "c:", "t:", "u:c:"}) {
        auto probe = parse_regex(text);
        ASSERT_FALSE(probe) << text;
        EXPECT_EQ(probe.error().column, std::string_view(text).size());
    }
}

}  // namespace
}  // namespace uscope::spec
