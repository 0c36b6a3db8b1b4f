#include "output/rank.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

using namespace uscope;

namespace {

const std::map<std::string, int> counts = {{"read", 3}, {"close", 1}, {"write", 9}, {"open", 3}};

std::string names(std::optional<uint64_t> top)
{
    std::string text;
    for (auto *entry : output::ranked(
             counts, [](int count) { return count; }, top))
        text += entry->first + ' ';
    return text;
}

TEST(Ranked, HasTheGreatestLastAndEqualsByKey)
{
    EXPECT_EQ(names({}), "close open read write ");
}

TEST(Ranked, KeepsTheGreatest)
{
    EXPECT_EQ(names(2), "read write ");
    EXPECT_EQ(names(9), "close open read write ");
}

}  // namespace
