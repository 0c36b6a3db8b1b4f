#include "run/latency_options.h"

#include <gtest/gtest.h>

#include "run/tool.h"

namespace uscope::run {
namespace {

struct LatencyOptionsTest : testing::Test {
    Result<> parse(std::vector<const char *> words)
    {
        Tool tool("tool", std::span(const_cast<char **>(words.data()), words.size()));
        options.declare_min(tool);
        options.declare_unit(tool);
        TRY(tool.parse());
        return options.check();
    }
    LatencyOptions options;
};

TEST_F(LatencyOptionsTest, AreInNanosecondsByDefault)
{
    ASSERT_TRUE(parse({}));
    EXPECT_STREQ(options.unit().name, "nsecs");
    EXPECT_FALSE(options.has_unit() || options.has_min());
    EXPECT_EQ(options.min_ns().value(), 0u);
}

TEST_F(LatencyOptionsTest, ReadTheMinimumInTheUnitShown)
{
    ASSERT_TRUE(parse({"-u", "--min", "5"}));
    EXPECT_EQ(options.unit().ns, 1000u);
    EXPECT_EQ(options.min_ns().value(), 5000u);
    ASSERT_TRUE(parse({"--min", "2ms"}));
    EXPECT_EQ(options.min_ns().value(), 2'000'000u);
}

TEST_F(LatencyOptionsTest, HaveOneUnit)
{
    auto parsed = parse({"-u", "-m"});
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().text, "-u and -m exclude each other");
}

}  // namespace
}  // namespace uscope::run
