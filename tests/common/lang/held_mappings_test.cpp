#include "lang/held_mappings.h"

#include <gtest/gtest.h>

using namespace uscope;
using Held = std::vector<uint64_t>;

namespace {

constexpr uint64_t page = 4096;

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
    EXPECT_EQ(bytes_held({{1, 8 * page, 4 * page}}), Held({4 * page}));
    EXPECT_EQ(bytes_held({{1, 8 * page, 5000}}), Held({5000}));
}

TEST(HeldMappings, HaveHoles)
{
    EXPECT_EQ(bytes_held({{1, 8 * page, 4 * page}, {2, 9 * page, page, true}}),
              Held({3 * page, 0}));
    EXPECT_EQ(bytes_held({{1, 8 * page, 5000}, {2, 9 * page, page, true}}), Held({page, 0}));
    // Two halves, in the order of the addresses and not of the times.
    EXPECT_EQ(
        bytes_held({{3, 8 * page, page, true}, {2, 9 * page, page, true}, {1, 8 * page, 2 * page}}),
        Held({0, 0, 0}));
}

TEST(HeldMappings, AreUnmappedTogether)
{
    EXPECT_EQ(
        bytes_held(
            {{1, 8 * page, 2 * page}, {1, 12 * page, 2 * page}, {2, 6 * page, 7 * page, true}}),
        Held({0, page, 0}));
}

TEST(HeldMappings, AreCoveredByLaterOnes)
{
    EXPECT_EQ(bytes_held({{1, 8 * page, 8 * page}, {2, 10 * page, 2 * page}}),
              Held({6 * page, 2 * page}));
    EXPECT_EQ(bytes_held({{2, 8 * page, page}, {1, 8 * page, page}}), Held({page, 0}));
}

TEST(HeldMappings, OutliveEarlierHoles)
{
    EXPECT_EQ(bytes_held({{5, 8 * page, 2 * page}, {4, 8 * page, 2 * page, true}}),
              Held({2 * page, 0}));
}

TEST(HeldMappings, NeedTheHolesThatAreInThem)
{
    auto states = lang::held_ranges({{1, 8 * page, 2 * page},
                                     {2, 7 * page, 2 * page, true},    // its first page
                                     {3, 7 * page, 2 * page, true},    // again
                                     {3, 10 * page, 9 * page, true},   // none of it
                                     {0, 8 * page, 2 * page, true}});  // before it
    std::vector<bool> needed;
    for (const lang::RangeState &state : states)
        needed.push_back(state.is_needed);
    EXPECT_EQ(needed, std::vector<bool>({false, true, false, false, false}));
}

TEST(HeldMappings, MayReachTheEndOfTheAddresses)
{
    EXPECT_EQ(bytes_held({{1, UINT64_MAX - page + 1, UINT64_MAX}}), Held({0}));
}

}  // namespace
