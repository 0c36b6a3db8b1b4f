#include "run/value.h"
#include "base/format.h"

#include <gtest/gtest.h>

namespace uscope::run {
namespace {

template <class T>
std::optional<T> parsed(std::string_view text)
{
    T value = {};
    if (!parse_value(text, value))
        return {};
    return value;
}

TEST(ParseValue, TakesSizesWithUnits)
{
    EXPECT_EQ(parsed<ByteSize>("65536")->bytes, 65536u);
    EXPECT_EQ(parsed<ByteSize>("512K")->bytes, 512u << 10);
    EXPECT_EQ(parsed<ByteSize>("4M")->bytes, 4u << 20);
    EXPECT_FALSE(parsed<ByteSize>("M"));
    EXPECT_FALSE(parsed<ByteSize>("4X"));
    EXPECT_FALSE(parsed<ByteSize>("99999999999999999999G"));
}

TEST(ParseValue, RefusesWhatIsNoProcessId)
{
    EXPECT_EQ(parsed<pid_t>("181"), 181);
    EXPECT_FALSE(parsed<pid_t>("0"));
    EXPECT_FALSE(parsed<pid_t>("-1"));
    EXPECT_FALSE(parsed<pid_t>("4294967296"));
    EXPECT_FALSE(parsed<pid_t>("bash"));
}

TEST(ParseValue, TakesSecondsWithAFractionOrAUnit)
{
    EXPECT_EQ(parsed<double>("0.5"), 0.5);
    EXPECT_EQ(parsed<double>("250ms"), 0.25);
    EXPECT_EQ(parsed<double>("2m"), 120);
    EXPECT_EQ(parsed<double>("1h"), 3600);
    EXPECT_FALSE(parsed<double>("-1"));
    EXPECT_FALSE(parsed<double>("nan"));
    EXPECT_FALSE(parsed<double>(""));
}

TEST(ParseValue, TakesTimesWithAndWithoutAUnit)
{
    uint64_t ns = 7;
    auto parse = [&](const char *text) -> Result<uint64_t> {
        TRY(parse_value(text, Duration{ns, 1'000'000}));
        return ns;
    };
    EXPECT_EQ(*parse("10"), 10'000'000u);
    EXPECT_EQ(*parse("0.5"), 500'000u);
    EXPECT_EQ(*parse("250us"), 250'000u);
    EXPECT_EQ(*parse("1.5ms"), 1'500'000u);
    EXPECT_EQ(*parse("3ns"), 3u);
    EXPECT_EQ(*parse("2s"), 2'000'000'000u);
    EXPECT_EQ(*parse("1.5m"), 90'000'000'000u);
    EXPECT_EQ(*parse("0"), 0u);
    for (const char *text : {"", "ms", "-1ms", "1d", "1 s", "1e30s"}) {
        auto result = parse_value(text, Duration{ns, 1});
        ASSERT_FALSE(result) << text;
        EXPECT_EQ(result.error().text,
                  fmt::format("\"{}\" is not a time (250us, 1.5ms, 2s)", text));
    }
}

TEST(ParseValue, NamesTheRangeOfANumber)
{
    unsigned bytes = 80;
    EXPECT_TRUE(parse_value("1", InRange{bytes, 1, 65536}));
    EXPECT_EQ(bytes, 1u);
    for (const char *text : {"0", "65537", "-1", "x"}) {
        auto result = parse_value(text, InRange{bytes, 1, 65536});
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().text, fmt::format("\"{}\" is not a number from 1 to 65536", text));
    }
    EXPECT_EQ(bytes, 1u);
}

TEST(ParseValue, TakesABoundedSizeWithAUnit)
{
    unsigned bytes = 80;
    EXPECT_TRUE(parse_value("64K", BytesInRange{bytes, 1, 65536}));
    EXPECT_EQ(bytes, 65536u);
    for (const char *text : {"0", "65K", "4G", "x"})
        EXPECT_FALSE(parse_value(text, BytesInRange{bytes, 1, 65536})) << text;
}

}  // namespace
}  // namespace uscope::run
