#include "lang/held_mappings.h"

#include <gtest/gtest.h>

using namespace uscope;
using Held = std::vector<uint64_t>;

namespace {

constexpr uint64_t map_page = 4096;

Held bytes_held(const std::vector<lang::MappedRange> &ranges)
{
    Held held;
    for (const lang::RangeState &state : lang::held_ranges(ranges))
        held.push_back(state.bytes);
    return held;
}

TEST(HeldMappings, AreHeldWhereNothingCameSince)
{
    EXPECT_EQ(bytes_held({}), Held());
    EXPECT_EQ(bytes_held({{1, 8 * map_page, 4 * map_page}}), Held({4 * map_page}));
    EXPECT_EQ(bytes_held({{1, 8 * map_page, 5000}}), Held({5000}));
}

TEST(HeldMappings, HaveHoles)
{
    EXPECT_EQ(bytes_held({{1, 8 * map_page, 4 * map_page}, {2, 9 * map_page, map_page, true}}),
              Held({3 * map_page, 0}));
    EXPECT_EQ(bytes_held({{1, 8 * map_page, 5000}, {2, 9 * map_page, map_page, true}}),
              Held({map_page, 0}));
    // Two halves of a range are unmapped; they are listed by address, not by time.
    EXPECT_EQ(bytes_held({{3, 8 * map_page, map_page, true},
                          {2, 9 * map_page, map_page, true},
                          {1, 8 * map_page, 2 * map_page}}),
              Held({0, 0, 0}));
}

TEST(HeldMappings, AreUnmappedTogether)
{
    EXPECT_EQ(bytes_held({{1, 8 * map_page, 2 * map_page},
                          {1, 12 * map_page, 2 * map_page},
                          {2, 6 * map_page, 7 * map_page, true}}),
              Held({0, map_page, 0}));
}

TEST(HeldMappings, AreCoveredByLaterOnes)
{
    EXPECT_EQ(bytes_held({{1, 8 * map_page, 8 * map_page}, {2, 10 * map_page, 2 * map_page}}),
              Held({6 * map_page, 2 * map_page}));
    EXPECT_EQ(bytes_held({{2, 8 * map_page, map_page}, {1, 8 * map_page, map_page}}),
              Held({map_page, 0}));
}

TEST(HeldMappings, OutliveEarlierHoles)
{
    EXPECT_EQ(bytes_held({{5, 8 * map_page, 2 * map_page}, {4, 8 * map_page, 2 * map_page, true}}),
              Held({2 * map_page, 0}));
}

TEST(HeldMappings, NeedTheHolesThatAreInThem)
{
    auto states = lang::held_ranges({{1, 8 * map_page, 2 * map_page},
                                     {2, 7 * map_page, 2 * map_page, true},   // cuts its first page
                                     {3, 7 * map_page, 2 * map_page, true},   // again
                                     {3, 10 * map_page, 9 * map_page, true},  // cuts none of it
                                     {0, 8 * map_page, 2 * map_page, true}});  // older than it
    std::vector<bool> needed;
    for (const lang::RangeState &state : states)
        needed.push_back(state.is_needed);
    EXPECT_EQ(needed, std::vector<bool>({false, true, false, false, false}));
}

TEST(HeldMappings, MayReachTheEndOfTheAddresses)
{
    EXPECT_EQ(bytes_held({{1, UINT64_MAX - map_page + 1, UINT64_MAX}}), Held({0}));
}

}  // namespace
