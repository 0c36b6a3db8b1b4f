#include "db/cut_text.h"

#include <gtest/gtest.h>

using namespace uscope::db;

TEST(CutText, LosesThePartOfACharacter)
{
    std::string text = "aé€😀";  // of 1, 2, 3 and 4 bytes
    size_t whole[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10};
    for (size_t bytes = 0; bytes <= text.size(); bytes++)
        EXPECT_EQ(without_part_of_character(text.substr(0, bytes)).size(), whole[bytes]) << bytes;
}

TEST(CutText, KeepsBytesThatAreNoCharacters)
{
    for (std::string text : {"\x80", "ab\x80\x80\x80", "\x80\x80\x80\x80", "a\xc3\xa9\x80"})
        EXPECT_EQ(without_part_of_character(text), text);
}
