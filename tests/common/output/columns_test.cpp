#include "output/columns.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace uscope::output {
namespace {

// columns() counts eight bytes at a time, and the rest one by one.
TEST(Columns, AreCharactersAtEachPlace)
{
    for (size_t before = 0; before < 20; before++) {
        for (auto [character, width] :
             {std::pair("e", 1), {"é", 1}, {"€", 1}, {"水", 2}, {"😀", 2}}) {
            std::string text = std::string(before, '\x7f') + character + character + "abc";
            EXPECT_EQ(columns(text), before + 3 + 2 * width) << text;
        }
    }
    EXPECT_EQ(columns(""), 0u);
    EXPECT_EQ(columns("\xc3\xc3\xc3\xc3\xc3\xc3\xc3\xc3\xc3"), 9u);  // each begins one
    EXPECT_EQ(columns("\x80\x80\x80\x80\x80\x80\x80\x80\x80"), 0u);
}

// The first and last wide characters, and their neighbours.
TEST(Columns, OfWideCharactersAreTwo)
{
    EXPECT_EQ(columns("\u10ff"), 1u);
    EXPECT_EQ(columns("\u1100"), 2u);
    EXPECT_EQ(columns("\u115f\u1160"), 3u);
    EXPECT_EQ(columns("\uff60\uff61"), 3u);
    EXPECT_EQ(columns("\U0001f680\U0001f6c6"), 3u);
    EXPECT_EQ(columns("\U0003fffd\U0003fffe"), 3u);
    // Cut, or not UTF-8.
    EXPECT_EQ(columns("\xe6\xb0"), 1u);
    EXPECT_EQ(columns("\xe6\xb0x"), 2u);
    EXPECT_EQ(columns("\xff\xff"), 2u);
}

TEST(BytesOfColumns, AreOfWholeCharactersThatFit)
{
    for (size_t max : {0, 1})
        EXPECT_EQ(bytes_of_columns("水水", max), 0u);
    for (size_t max : {2, 3})
        EXPECT_EQ(bytes_of_columns("水水", max), 3u);
    EXPECT_EQ(bytes_of_columns("水水", 4), 6u);
    EXPECT_EQ(bytes_of_columns("éx水", 2), 3u);
    EXPECT_EQ(bytes_of_columns("abc", 9), 3u);
}

}  // namespace
}  // namespace uscope::output
