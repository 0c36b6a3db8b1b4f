#include "output/caret.h"

#include <gtest/gtest.h>

using namespace uscope::output;

namespace {

// The character of the first line above the caret in the second.
char marked(const std::string &shown)
{
    size_t line = shown.find('\n');
    return shown.at(shown.find('^', line) - line - 1);
}

}  // namespace

TEST(Place, ShowsAShortTextWhole)
{
    EXPECT_EQ(show_caret("c:open (arg1 >)", 14), "  c:open (arg1 >)\n                ^\n");
    EXPECT_EQ(show_caret("c:open (", 8), "  c:open (\n          ^\n");
    EXPECT_EQ(show_caret("", 0), "  \n  ^\n");
    EXPECT_EQ(show_caret("abc", 99), "  abc\n     ^\n");
}

TEST(Place, CountsCharactersAsTheyAreShown)
{
    EXPECT_EQ(show_caret("żółw x", 8), "  żółw x\n       ^\n");
    EXPECT_EQ(show_caret("\n\xff x", 3), "  \\n\\xff x\n         ^\n");
}

TEST(Place, ShowsAWindowOfALongText)
{
    std::string text(100'000, '-');
    for (size_t column : {0, 1, 50, 99'000, 99'999}) {
        text[column] = 'X';
        std::string shown = show_caret(text, column);
        EXPECT_EQ(marked(shown), 'X') << shown;
        EXPECT_LE(shown.size(), 230u);
        EXPECT_EQ(shown.starts_with("  ..."), column > 99) << shown;
        text[column] = '-';
    }
    EXPECT_TRUE(show_caret(text, 3).find("...\n") != std::string::npos);
    EXPECT_TRUE(show_caret(text, 99'999).find("...\n") == std::string::npos);
}

TEST(Place, CutsNoCharacterAndNoEscape)
{
    std::string text;
    for (int i = 0; i < 1000; i++)
        text += "水\033";
    for (size_t column = 1996; column < 2012; column++) {
        std::string shown = show_caret(text, column);
        EXPECT_EQ(shown.find("\\xe6"), std::string::npos) << shown;
        EXPECT_EQ(shown.find('\033'), std::string::npos) << shown;
    }
}

TEST(Place, LeavesOutTheMiddleOfAVeryLongMessage)
{
    EXPECT_EQ(shortened("no\nsuch"), "no\\nsuch");
    std::string text = shortened("start" + std::string(100'000, 'x') + "end");
    EXPECT_LT(text.size(), 1100u);
    EXPECT_TRUE(text.starts_with("startxx"));
    EXPECT_TRUE(text.ends_with("xxend"));
    EXPECT_NE(text.find("x...x"), text.npos);
}
