#include "output/duration.h"

#include <gtest/gtest.h>

using namespace uscope::output;

TEST(Duration, HasThreeDigitsAndAUnit)
{
    EXPECT_EQ(duration_text(0), "0ns");
    EXPECT_EQ(duration_text(999), "999ns");
    EXPECT_EQ(duration_text(1000), "1.00us");
    EXPECT_EQ(duration_text(12'345), "12.3us");
    EXPECT_EQ(duration_text(1'234'567), "1.23ms");
    EXPECT_EQ(duration_text(220'553'000), "221ms");
    EXPECT_EQ(duration_text(2'345'678'901), "2.35s");
    EXPECT_EQ(duration_text(5'400'000'000'000), "5400s");
}

TEST(Duration, RoundsUpToTheNextUnit)
{
    EXPECT_EQ(duration_text(9'994), "9.99us");
    EXPECT_EQ(duration_text(9'996), "10.0us");
    EXPECT_EQ(duration_text(99'960), "100us");
    EXPECT_EQ(duration_text(999'499), "999us");
    EXPECT_EQ(duration_text(999'500), "1.00ms");
    EXPECT_EQ(duration_text(999'600'000), "1.00s");
}

TEST(Duration, InMilliseconds)
{
    EXPECT_EQ(milliseconds_text(12'345), "0.01ms");
    EXPECT_EQ(milliseconds_text(1'234'567'890), "1234.57ms");
}
