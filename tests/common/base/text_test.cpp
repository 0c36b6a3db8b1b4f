#include "base/text.h"

#include <gtest/gtest.h>

namespace uscope {
namespace {

using Strings = std::vector<std::string>;
using Views = std::vector<std::string_view>;

TEST(Trim, RemovesWhiteSpaceAtBothEndsOnly)
{
    EXPECT_EQ(trim(" \t a b\n"), "a b");
    EXPECT_EQ(trim(" \n "), "");
    EXPECT_EQ(trim(""), "");
}

TEST(LowerCase, IsOfAsciiOnly)
{
    EXPECT_EQ(lower_case("SELECT Größe ÄZ@["), "select größe Äz@[");
}

TEST(Split, KeepsEmptyParts)
{
    EXPECT_EQ(split("a,,b,", ','), (Views{"a", "", "b", ""}));
    EXPECT_EQ(split("", ','), (Views{""}));
}

TEST(SplitWords, SeparatesAsAShellDoes)
{
    EXPECT_EQ(split_words("  a  'b c' d\\ e\t\"f 'g\"x '' "),
              (Strings{"a", "b c", "d e", "f 'gx", ""}));
    EXPECT_EQ(split_words("'a\\b' \"\\\"\""), (Strings{"a\\b", "\""}));
}

TEST(SplitWords, RefusesAnOpenQuoteAndNothing)
{
    for (auto text : {"", " \t", "a 'b", "\""})
        EXPECT_FALSE(split_words(text)) << text;
}

TEST(ParseNumber, ReadsDecimalAndHexadecimal)
{
    EXPECT_EQ(parse_number("0"), 0u);
    EXPECT_EQ(parse_number("18446744073709551615"), UINT64_MAX);
    EXPECT_EQ(parse_number("0x1F"), 31u);
    EXPECT_EQ(parse_number("010"), 10u);
}

TEST(ParseNumber, RefusesWhatIsNotAWholeNumberThatFits)
{
    for (auto text : {"", "0x", "-1", "+1", " 1", "1 ", "12a", "1.5", "0x-1",
                      "18446744073709551616", "0x10000000000000000"})
        EXPECT_EQ(parse_number(text), std::nullopt) << text;
}

TEST(GlobMatch, MatchesTheWholeText)
{
    EXPECT_TRUE(glob_match("abc", "abc"));
    EXPECT_FALSE(glob_match("abc", "abcd"));
    EXPECT_FALSE(glob_match("abc", "ab"));
    EXPECT_TRUE(glob_match("", ""));
    EXPECT_FALSE(glob_match("", "a"));
}

TEST(GlobMatch, StarTakesAnyTextEvenSlashesAndColons)
{
    EXPECT_TRUE(glob_match("*", ""));
    EXPECT_TRUE(glob_match("a*c", "a/b::c"));
    EXPECT_TRUE(glob_match("a**", "a"));
    EXPECT_TRUE(glob_match("*ab*ab", "abxabab"));
    EXPECT_FALSE(glob_match("*ab*ab", "abxa"));
}

TEST(GlobMatch, QuestionMarkTakesOneCharacter)
{
    EXPECT_TRUE(glob_match("a?c", "abc"));
    EXPECT_FALSE(glob_match("a?c", "ac"));
}

TEST(GlobMatch, SetsHoldCharactersAndRanges)
{
    EXPECT_TRUE(glob_match("[a-cx]1", "b1"));
    EXPECT_TRUE(glob_match("[a-cx]1", "x1"));
    EXPECT_FALSE(glob_match("[a-cx]1", "d1"));
    EXPECT_TRUE(glob_match("[!a-c]", "d"));
    EXPECT_FALSE(glob_match("[!a-c]", "b"));
    EXPECT_TRUE(glob_match("[]a]", "]"));
    EXPECT_TRUE(glob_match("[a-]", "-"));
}

TEST(GlobMatch, UnclosedSetIsPlainText)
{
    EXPECT_TRUE(glob_match("a[b", "a[b"));
    EXPECT_FALSE(glob_match("a[b", "ab"));
}

TEST(GlobMatch, BackslashMakesTheNextCharacterPlain)
{
    EXPECT_TRUE(glob_match("f(char\\*)", "f(char*)"));
    EXPECT_FALSE(glob_match("f(char\\*)", "f(char**)"));
    EXPECT_TRUE(glob_match("a\\", "a\\"));
}

TEST(GlobMatch, ManyStarsStayFast)
{
    std::string pattern, text(20000, 'a');
    for (int i = 0; i < 100; ++i)
        pattern += "a*";
    EXPECT_FALSE(glob_match(pattern + "b", text));
}

TEST(IsGlob, SeesEachMetacharacter)
{
    EXPECT_TRUE(is_glob("a*"));
    EXPECT_TRUE(is_glob("a?"));
    EXPECT_TRUE(is_glob("[a]"));
    EXPECT_FALSE(is_glob("ns::f(int)"));
}

TEST(NearNames, SortsByDistanceAndStopsAtMost)
{
    Strings names = {"readlink", "readline_x", "readlime", "readline", "write"};
    EXPECT_EQ(near_names("readlin", names, 2), (Strings{"readline", "readlink"}));
}

TEST(NearNames, FindsNamesThatHoldTheText)
{
    EXPECT_EQ(near_names("alloc", {"heap_allocate_object", "free"}),
              (Strings{"heap_allocate_object"}));
    EXPECT_EQ(near_names("do_alloc_now", {"alloc", "free"}), (Strings{"alloc"}));
}

TEST(NearNames, IgnoresCase)
{
    EXPECT_EQ(near_names("ReadLine", {"readline"}), (Strings{"readline"}));
}

TEST(NearNames, LeavesOutTheUnlikeAndTheTwice)
{
    EXPECT_EQ(near_names("readline", {"malloc", "", "readline2", "readline2"}),
              (Strings{"readline2"}));
    EXPECT_EQ(near_names("", {"a"}), Strings{});
}

TEST(DidYouMean, JoinsForAPerson)
{
    EXPECT_EQ(did_you_mean({}), "");
    EXPECT_EQ(did_you_mean({"a"}), ", did you mean a?");
    EXPECT_EQ(did_you_mean({"a", "b", "c"}), ", did you mean a, b or c?");
}

TEST(Text, IsUtf8)
{
    std::string text;
    for (uint32_t character : {0x41u, 0xe9u, 0x20acu, 0x1f600u})
        append_utf8(text, character);
    EXPECT_EQ(text, "A\u00e9\u20ac\U0001f600");
}

}  // namespace
}  // namespace uscope
