#include "output/clock.h"

#include <gtest/gtest.h>

using namespace uscope;

namespace {

constexpr uint64_t second_ns = 1'000'000'000;

uint64_t monotonic = 0, unix_time = 0;  // what the two faked clocks show
uint64_t read_monotonic()
{
    return monotonic;
}
uint64_t read_unix()
{
    return unix_time;
}

void pass(uint64_t ns)
{
    monotonic += ns;
    unix_time += ns;
}

class ClockTest : public testing::Test {
  protected:
    void SetUp() override
    {
        monotonic = 100 * second_ns;
        unix_time = 1'700'000'000 * second_ns;
    }
};

TEST_F(ClockTest, HasTheTimeOfAnEvent)
{
    output::Clock clock(read_monotonic, read_unix);
    pass(second_ns);
    EXPECT_EQ(clock.unix_ns(100 * second_ns + 5), 1'700'000'000 * second_ns + 5);
    EXPECT_EQ(clock.since_epoch(101 * second_ns), "1700000001.000000");
    EXPECT_TRUE(clock.time_of_day(101 * second_ns + 20'345'999).ends_with(":21.020345"));
    EXPECT_EQ(clock.since_start(101 * second_ns), "1.000000");
    EXPECT_EQ(clock.since_start(99 * second_ns), "0.000000");
}

TEST_F(ClockTest, FollowsStepsAndSleep)
{
    output::Clock clock(read_monotonic, read_unix);
    unix_time += 3600 * second_ns;
    pass(second_ns);
    EXPECT_EQ(clock.since_epoch(101 * second_ns), "1700003601.000000");
    unix_time -= 2 * 3600 * second_ns;
    pass(second_ns);
    EXPECT_EQ(clock.since_epoch(102 * second_ns), "1699996402.000000");
    EXPECT_EQ(clock.since_start(102 * second_ns), "2.000000");
}

TEST_F(ClockTest, DoesNotJitter)
{
    output::Clock clock(read_monotonic, read_unix);
    unix_time += 900;  // the clocks are not read at the same instant
    pass(second_ns);
    EXPECT_EQ(clock.unix_ns(101 * second_ns), 1'700'000'001 * second_ns);
}

}  // namespace
