#include "output/histogram_text.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "output/escape.h"
#include "support/histogram_of.h"

using namespace uscope::output;

namespace {

template <typename... Arguments>
std::string histogram_text(void append(std::string &, std::string_view, Arguments...),
                           std::string_view label,
                           const std::type_identity_t<Arguments> &...arguments)
{
    std::string out;
    append(out, label, arguments...);
    return out;
}

std::string histogram_json(const Histogram &histogram)
{
    std::string out;
    append_json(out, "nsecs", histogram);
    return out;
}

std::string histogram_json(const LinearScale &scale, const std::vector<uint64_t> &counts)
{
    std::string out;
    append_json(out, "bytes", scale, counts);
    return out;
}

Histogram with_negative(Histogram histogram, uint64_t count)
{
    histogram.add(HISTOGRAM_NEGATIVE, {count, 0, 0});
    return histogram;
}

}  // namespace

TEST(Log2, LooksLikeBcc)
{
    EXPECT_EQ(histogram_text(append_log2, "usecs", histogram_of({0, 1, 1, 2, 20}), 0),
              "     usecs               : count     distribution\n"
              "         0 -> 1          : 3        |****************************************|\n"
              "         2 -> 3          : 1        |*************                           |\n"
              "         4 -> 7          : 0        |                                        |\n"
              "         8 -> 15         : 0        |                                        |\n"
              "        16 -> 31         : 1        |*************                           |\n");
}

TEST(Log2, StartsWithTheFirstRowAlsoWhenItIsEmpty)
{
    EXPECT_EQ(histogram_text(append_log2, "bytes", histogram_of({5}), 0),
              "     bytes               : count     distribution\n"
              "         0 -> 1          : 0        |                                        |\n"
              "         2 -> 3          : 0        |                                        |\n"
              "         4 -> 7          : 1        |****************************************|\n");
}

TEST(Log2, IsWideBeyond32Bits)
{
    std::string narrow = histogram_text(append_log2, "nsecs", histogram_of({UINT32_MAX}), 0);
    EXPECT_TRUE(narrow.ends_with(
        "\n2147483648 -> 4294967295 : 1        |****************************************|\n"));
    std::string wide = histogram_text(append_log2, "nsecs", histogram_of({UINT32_MAX + 1ull}), 0);
    EXPECT_TRUE(
        wide.starts_with("               nsecs                         : count     distribution\n"
                         "                   0 -> 1                    : 0        |"
                         "                    |\n"));
    EXPECT_TRUE(wide.ends_with(
        "\n          4294967296 -> 8589934591           : 1        |********************|\n"));
}

TEST(Log2, HasARowForTheLargestValues)
{
    std::string table = histogram_text(append_log2, "x", histogram_of({UINT64_MAX}), 0);
    EXPECT_TRUE(table.ends_with(
        "\n 9223372036854775808 -> 18446744073709551615 : 1        |********************|\n"));
    EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 65);
}

TEST(Log2, PrintsNothingWhenEmpty)
{
    EXPECT_EQ(histogram_text(append_log2, "usecs", Histogram(), 0), "");
}

TEST(Log2, NegativeValuesHaveARowOfTheirOwn)
{
    EXPECT_EQ(histogram_text(append_log2, "retval", with_negative(histogram_of({1}), 2), 0),
              "     retval              : count     distribution\n"
              "      -inf -> -1         : 2        |****************************************|\n"
              "         0 -> 1          : 1        |********************                    |\n");
    EXPECT_EQ(histogram_text(append_log2, "retval", with_negative({}, 2), 0),
              "     retval              : count     distribution\n"
              "      -inf -> -1         : 2        |****************************************|\n");
}

TEST(Log2, StarsAreRoundedDownAlsoOfHugeCounts)
{
    Histogram histogram = histogram_of({1}, 1ull << 63);
    histogram.merge(histogram_of({2}, (1ull << 63) - 1));
    std::string table = histogram_text(append_log2, "x", histogram, 0);
    EXPECT_NE(table.find(": 9223372036854775807 |*************************************** |\n"),
              std::string::npos);
}

TEST(Log2, TheLabelIsMadeSafe)
{
    EXPECT_TRUE(histogram_text(append_log2, "\033[2J", histogram_of({1}), 0)
                    .starts_with("     \\x1b[2J             : count     distribution\n"));
}

TEST(LogLinear, HasFinerRowsWhereThereAreValues)
{
    EXPECT_EQ(histogram_text(append_log_linear, "usecs", histogram_of({17, 17, 40}), 2, 0),
              "     usecs               : count     distribution\n"
              "        16 -> 19         : 2        |****************************************|\n"
              "        20 -> 23         : 0        |                                        |\n"
              "        24 -> 27         : 0        |                                        |\n"
              "        28 -> 31         : 0        |                                        |\n"
              "        32 -> 39         : 0        |                                        |\n"
              "        40 -> 47         : 1        |********************                    |\n");
}

TEST(LogLinear, RowsOfSmallValuesAreNotSplitBelowOne)
{
    EXPECT_EQ(histogram_text(append_log_linear, "x", histogram_of({0, 1, 5}), 1, 0),
              "     x                   : count     distribution\n"
              "         0 -> 0          : 1        |****************************************|\n"
              "         1 -> 1          : 1        |****************************************|\n"
              "         2 -> 2          : 0        |                                        |\n"
              "         3 -> 3          : 0        |                                        |\n"
              "         4 -> 5          : 1        |****************************************|\n");
}

TEST(LogLinear, ReachesTheLargestValues)
{
    EXPECT_EQ(histogram_text(append_log_linear, "x", histogram_of({UINT64_MAX}), 4, 0),
              "               x                             : count     distribution\n"
              "17870283321406128128 -> 18446744073709551615 : 1        |********************|\n");
}

TEST(LogLinear, TheReadableSplitFillsButNotOverflowsTheRows)
{
    EXPECT_EQ(readable_split(histogram_of({1000, 1010})), 4u);
    EXPECT_EQ(readable_split(histogram_of({1024, 16383})), 3u);  // 4 powers of two: 32 rows
    EXPECT_EQ(readable_split(histogram_of({1024, 16383}), 64), 4u);
    EXPECT_EQ(readable_split(histogram_of({1, UINT64_MAX})), 0u);
}

TEST(Linear, HasRowsBelowAndAbove)
{
    LinearScale scale = {-10, 15, 10};
    ASSERT_EQ(scale.buckets(), 5u);
    EXPECT_EQ(histogram_text(append_linear, "delta", scale, {1, 2, 0, 4, 1}, 0),
              "     delta               : count     distribution\n"
              "      -inf -> -11        : 1        |**********                              |\n"
              "       -10 -> -1         : 2        |********************                    |\n"
              "         0 -> 9          : 0        |                                        |\n"
              "        10 -> 14         : 4        |****************************************|\n"
              "        15 -> inf        : 1        |**********                              |\n");
}

TEST(Linear, ShowsTheRowsThatHaveValuesAndThoseBetween)
{
    EXPECT_EQ(histogram_text(append_linear, "x", {0, 60, 10}, {0, 0, 1, 0, 1, 0, 0, 0}, 0),
              "     x                   : count     distribution\n"
              "        10 -> 19         : 1        |****************************************|\n"
              "        20 -> 29         : 0        |                                        |\n"
              "        30 -> 39         : 1        |****************************************|\n");
    EXPECT_EQ(histogram_text(append_linear, "x", {0, 10, 10}, {0, 0, 0}, 0), "");
}

TEST(Linear, HoldsTheWidestBounds)
{
    LinearScale scale = {INT64_MIN, INT64_MAX, 1ull << 63};
    ASSERT_EQ(scale.buckets(), 4u);
    EXPECT_EQ(histogram_text(append_linear, "x", scale, {0, 1, 1, 1}, 0),
              "               x                             : count     distribution\n"
              "-9223372036854775808 -> -1                   : 1        |********************|\n"
              "                   0 -> 9223372036854775806  : 1        |********************|\n"
              " 9223372036854775807 -> inf                  : 1        |********************|\n");
}

TEST(Percentiles, AreOneLine)
{
    std::vector<uint64_t> values;
    for (uint64_t i = 1; i <= 1000; i++)
        values.push_back(i / 40);
    EXPECT_EQ(histogram_text(append_percentiles, "us", histogram_of(values), 0),
              "p50 12us  p90 22us  p99 24us  p99.9 24us  max 25us\n");
}

TEST(Percentiles, TellOfNegativeValues)
{
    EXPECT_EQ(histogram_text(append_percentiles, "", with_negative(histogram_of({7}), 3), 0),
              "p50 7  p90 7  p99 7  p99.9 7  max 7  (3 below 0)\n");
    EXPECT_EQ(histogram_text(append_percentiles, "", with_negative({}, 3), 0), "(3 below 0)\n");
    EXPECT_EQ(histogram_text(append_percentiles, "", Histogram(), 0), "");
}

TEST(Average, IsFunclatencysLine)
{
    EXPECT_EQ(histogram_text(append_average, "usecs", histogram_of({10, 15}), 0),
              "avg = 12 usecs, total: 25 usecs, count: 2\n");
    EXPECT_EQ(histogram_text(append_average, "usecs", Histogram(), 0), "");
}

TEST(HistogramJson, HasNumbersAndBuckets)
{
    EXPECT_EQ(histogram_json(histogram_of({3, 34, 35})),
              R"({"unit":"nsecs","count":3,"sum":72,"avg":24,"max":35,"p50":34,"p90":35,"p99":35,)"
              R"("p99.9":35,"buckets":[{"low":3,"high":3,"count":1},)"
              R"({"low":34,"high":35,"count":2}]})");
}

TEST(HistogramJson, HasNullsWhenEmpty)
{
    EXPECT_EQ(histogram_json(Histogram()),
              R"({"unit":"nsecs","count":0,"sum":0,"avg":null,"max":null,"p50":null,"p90":null,)"
              R"("p99":null,"p99.9":null,"buckets":[]})");
}

TEST(HistogramJson, TellsOfNegativeValues)
{
    EXPECT_NE(histogram_json(with_negative(histogram_of({7}), 3))
                  .find(R"("p99.9":7,"negative":3,"buckets")"),
              std::string::npos);
}

TEST(HistogramJson, OfALinearOneHasOpenEnds)
{
    EXPECT_EQ(histogram_json({0, 20, 10}, {1, 2, 0, 3}),
              R"({"unit":"bytes","count":6,"buckets":[{"low":null,"high":-1,"count":1},)"
              R"({"low":0,"high":9,"count":2},{"low":20,"high":null,"count":3}]})");
}

TEST(NarrowTerminal, HasNoWiderColumnsThanNeeded)
{
    const Histogram histogram = histogram_of({0, 1, 1, 2, 20});
    EXPECT_EQ(histogram_text(append_log2, "usecs", histogram, 40),
              "usecs    : count\n"
              " 0 -> 1  : 3     |*********************|\n"
              " 2 -> 3  : 1     |*******              |\n"
              " 4 -> 7  : 0     |                     |\n"
              " 8 -> 15 : 0     |                     |\n"
              "16 -> 31 : 1     |*******              |\n");
    EXPECT_EQ(histogram_text(append_log2, "usecs", histogram, 12),
              "usecs    : count\n"
              " 0 -> 1  : 3\n"
              " 2 -> 3  : 1\n"
              " 4 -> 7  : 0\n"
              " 8 -> 15 : 0\n"
              "16 -> 31 : 1\n");
    EXPECT_EQ(histogram_text(append_log2, "usecs", histogram, 78),
              histogram_text(append_log2, "usecs", histogram, 0));
}

TEST(NarrowTerminal, BreaksLinesOfNumbers)
{
    EXPECT_EQ(histogram_text(append_percentiles, "us", histogram_of({1, 2, 3}), 24),
              "p50 2us  p90 3us\n"
              "p99 3us  p99.9 3us\n"
              "max 3us\n");
    EXPECT_EQ(histogram_text(append_average, "usecs", histogram_of({1, 2, 3}), 24),
              "avg = 2 usecs\n"
              "total: 6 usecs, count: 3\n");
}
