#include "lang/python/lines.h"

#include <vector>

#include <gtest/gtest.h>

namespace uscope::lang {
namespace {

using Lines = std::vector<uint32_t>;

// Returns the lines of the code at the offsets 0, 2, 4 …, by the table of a code object.
Lines lines(const Version &version, const std::vector<uint8_t> &table, uint32_t first, size_t count)
{
    Lines found;
    for (uint64_t at = 0; at < 2 * count; at += 2)
        found.push_back(python_line(version, {table.data(), table.size()}, first, at));
    return found;
}

// tests/tools/trace/python-stacks*.sh compare tables of real compilers with Python's own lines.
TEST(PythonLines, Until39AreStepsInCodeAndLines)
{
    std::vector<uint8_t> table = {0, 2, 2, 1, 4, 0xff, 4, 3};
    EXPECT_EQ(lines({3, 9}, table, 1, 7), (Lines{3, 4, 4, 3, 3, 6, 6}));
}

TEST(PythonLines, Of310AreEndsOfRanges)
{
    std::vector<uint8_t> table = {2, 2, 4, 1, 2, 0x80, 4, 2};
    EXPECT_EQ(lines({3, 10}, table, 1, 6), (Lines{3, 4, 4, 0, 6, 6}));
}

TEST(PythonLines, Since311AreEntriesOfSeveralKinds)
{
    std::vector<uint8_t> table = {
        0x80 | 10 << 3,     1,    2,           // the same line, columns
        0x80 | 11 << 3 | 1, 1,    2,           // the next line, two units
        0x80 | 15 << 3,                        // no line
        0x80 | 13 << 3,     0x43, 0x02,        // -(1 | 2 << 5)
        0x80 | 0 << 3,      5,                 // the same line
        0x80 | 14 << 3,     0x06, 0,    1, 1,  // three lines further
    };
    EXPECT_EQ(lines({3, 11}, table, 100, 8), (Lines{100, 101, 101, 0, 36, 36, 39, 0}));
}

TEST(PythonLines, OfADamagedTableAreNone)
{
    EXPECT_EQ(lines({3, 13}, {0x80 | 14 << 3}, 5, 2), (Lines{5, 0}));
    EXPECT_EQ(lines({3, 11}, {1, 2, 3}, 5, 1), (Lines{0}));
    EXPECT_EQ(lines({3, 9}, {200}, 5, 1), (Lines{5}));
}

}  // namespace
}  // namespace uscope::lang
