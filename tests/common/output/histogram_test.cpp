#include "output/histogram.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "support/histogram_of.h"

using namespace uscope::output;

namespace {

// Returns the exact percentile: the smallest value that `per_mille` thousandths of all values do
// not exceed.
uint64_t true_percentile(std::vector<uint64_t> values, uint32_t per_mille)
{
    std::sort(values.begin(), values.end());
    return values[(values.size() * per_mille + 999) / 1000 - 1];
}

std::vector<uint64_t> random_values(size_t count)
{
    std::mt19937_64 random(1);
    std::vector<uint64_t> values;
    for (size_t i = 0; i < count; i++)
        values.push_back(random() >> random() % 64);
    return values;
}

}  // namespace

TEST(SlotRange, IsWhatTheProgramsCountThere)
{
    EXPECT_EQ(slot_range(0), (Range{0, 0}));
    EXPECT_EQ(slot_range(31), (Range{31, 31}));
    EXPECT_EQ(slot_range(33), (Range{34, 35}));
    EXPECT_EQ(slot_range(48), (Range{64, 67}));
}

TEST(SlotRange, CoversAllValuesWithoutGaps)
{
    uint64_t next = 0;
    for (uint32_t slot = 0; slot < HISTOGRAM_VALUES; slot++) {
        Range range = slot_range(slot);
        ASSERT_EQ(range.low, next);
        ASSERT_EQ(histogram_slot_of(range.low), slot);
        ASSERT_EQ(histogram_slot_of(range.high), slot);
        ASSERT_LE(range.high - range.low, range.low / 16);
        next = range.high + 1;
    }
    EXPECT_EQ(next, 0u);  // the last range ends at 2^64 - 1
}

TEST(Histogram, HasASumOfParts)
{
    Histogram histogram(1000), more(1000);
    histogram.add(1, {.count = 3, .sum = 5700, .max = 1});  // 1.9 units each
    more.add(2, {.count = 1, .sum = 2400, .max = 2});
    EXPECT_EQ(histogram.sum(), 5u);
    EXPECT_EQ(histogram.average(), 1u);
    histogram.merge(more);
    EXPECT_EQ(histogram.sum(), 8u);
    EXPECT_EQ(histogram.average(), 2u);
    EXPECT_EQ(histogram.max(), 2u);
}

TEST(Histogram, IsEmptyAtFirst)
{
    Histogram histogram;
    EXPECT_TRUE(histogram.empty());
    EXPECT_EQ(histogram.count(), 0u);
    EXPECT_EQ(histogram.average(), 0u);
    EXPECT_EQ(histogram.max(), 0u);
    EXPECT_EQ(histogram.percentile(500), 0u);
}

TEST(Histogram, AddsTheSlotsOfAllProcessors)
{
    Histogram histogram;
    histogram.add(33, {2, 69, 35});
    histogram.add(33, {1, 34, 34});
    EXPECT_EQ(histogram.count(), 3u);
    EXPECT_EQ(histogram.sum(), 103u);
    EXPECT_EQ(histogram.average(), 34u);
    EXPECT_EQ(histogram.max(), 35u);
}

TEST(Histogram, MergesAnother)
{
    Histogram one = histogram_of({5, 100}), other = histogram_of({5, 7000});
    other.add(HISTOGRAM_NEGATIVE, {2, 0, 0});
    one.merge(other);
    EXPECT_EQ(one.count(), 4u);
    EXPECT_EQ(one.sum(), 7110u);
    EXPECT_EQ(one.max(), 7000u);
    EXPECT_EQ(one.negative(), 2u);
}

TEST(Histogram, CountsNegativeValuesApart)
{
    Histogram histogram = histogram_of({10, 20});
    histogram.add(HISTOGRAM_NEGATIVE, {1, static_cast<uint64_t>(-1), static_cast<uint64_t>(-1)});
    EXPECT_EQ(histogram.negative(), 1u);
    EXPECT_EQ(histogram.count(), 2u);
    EXPECT_EQ(histogram.average(), 15u);
    EXPECT_EQ(histogram.max(), 20u);
    EXPECT_FALSE(histogram.empty());
}

TEST(Histogram, MinIsExactOrASlotsLowEnd)
{
    EXPECT_EQ(histogram_of({1001, 2000}).min(), 1001u);
    EXPECT_EQ(histogram_of({1001, 1002}).min(), 992u);
    EXPECT_EQ(histogram_of({7, 7, 9}).min(), 7u);
}

TEST(Histogram, SmallValuesHaveExactPercentiles)
{
    Histogram histogram = histogram_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    EXPECT_EQ(histogram.percentile(0), 1u);
    EXPECT_EQ(histogram.percentile(500), 5u);
    EXPECT_EQ(histogram.percentile(501), 6u);
    EXPECT_EQ(histogram.percentile(900), 9u);
    EXPECT_EQ(histogram.percentile(999), 10u);
    EXPECT_EQ(histogram.percentile(1000), 10u);
}

TEST(Histogram, InterpolatesWithinASlot)
{
    Histogram histogram;
    histogram.add(histogram_slot_of(1024), {4, 4 * 1050, 1063});  // 1024 … 1063: 40 values
    EXPECT_EQ(histogram.percentile(250), 1029u);                  // the middle of the first ten
    EXPECT_EQ(histogram.percentile(500), 1039u);
    EXPECT_EQ(histogram.percentile(1000), 1063u);
}

TEST(Histogram, PercentilesAreWithinASixteenthAndNeverAboveTheMaximum)
{
    for (size_t count : {1, 2, 3, 10, 1000, 20000}) {
        std::vector<uint64_t> values = random_values(count);
        Histogram histogram = histogram_of(values);
        uint64_t before = 0;
        for (uint32_t per_mille : {1, 100, 250, 500, 900, 990, 999, 1000}) {
            uint64_t got = histogram.percentile(per_mille);
            uint64_t want = true_percentile(values, per_mille);
            EXPECT_LE(std::max(got, want) - std::min(got, want), want / 16) << per_mille;
            EXPECT_LE(got, histogram.max());
            EXPECT_GE(got, before);
            before = got;
        }
    }
}

TEST(Histogram, ReachesTheLargestValues)
{
    Histogram histogram = histogram_of({UINT64_MAX, UINT64_MAX - 1, 1ull << 63}, 1ull << 40);
    EXPECT_EQ(histogram.max(), UINT64_MAX);
    EXPECT_EQ(histogram.percentile(1000), UINT64_MAX);
    EXPECT_EQ(histogram.percentile(1), 1ull << 63);
    EXPECT_GE(histogram.percentile(500), 31ull << 59);
}

TEST(Histogram, SumsBeyond64Bits)
{
    Histogram histogram = histogram_of({UINT64_MAX, UINT64_MAX, UINT64_MAX - 5, 9});
    Histogram::Sum want = 3 * Histogram::Sum(UINT64_MAX) + 4;
    EXPECT_TRUE(histogram.sum() == want);
    EXPECT_EQ(histogram.average(), static_cast<uint64_t>(want / 4));
}

TEST(Histogram, AMaximumNotYetWrittenIsTheSlotsLowEnd)
{
    Histogram histogram;
    histogram.add(histogram_slot_of(1024), {1, 1050, 0});
    EXPECT_EQ(histogram.max(), 1024u);
    EXPECT_EQ(histogram.percentile(500), 1024u);
}
