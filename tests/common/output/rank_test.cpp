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

TEST(ByNumbers, TakesThemAsNumbers)
{
    const char *texts[] = {
        "a = -2147483647", "a = -10, b = 2", "a = -9",       "a = 0",
        "a = 9",           "a = 9, b = -3",  "a = 9, b = 1", "a = 18446744073709551615",
        "a = -",           "a = octi-2",     "a = octi-10",  "b"};
    for (size_t i = 0; i < std::size(texts); i++) {
        for (size_t j = 0; j < std::size(texts); j++)
            EXPECT_EQ(output::by_numbers(texts[i], texts[j]), i <=> j)
                << texts[i] << " " << texts[j];
    }
    EXPECT_TRUE(output::by_numbers("a = 07", "a = 7") == 0);
    EXPECT_TRUE(output::by_numbers("a = -0", "a = 0") == 0);
}

}  // namespace
