#include "output/escape.h"
#include "base/format.h"

#include <gtest/gtest.h>

using namespace uscope::output;

namespace {

std::string json_string(std::string_view text)
{
    std::string out;
    append_json_string(out, text);
    return out;
}

std::string padded(std::string_view text, size_t width, bool left)
{
    std::string out;
    append(out, "=");
    append(out, text);
    pad(out, 1, width, left);
    return out;
}

TEST(Unescaped, RecoversTheOriginal)
{
    for (std::string text :
         {"", "plain", "a\\x41\\n", "\x01\t\n\r\\", "\xff\xe2\x80\xae", "\xc3\xa9"})
        EXPECT_EQ(unescaped(escaped(text)), text);
    EXPECT_EQ(unescaped("\\"), "\\");
    EXPECT_EQ(unescaped("\\x4"), "\\x4");
    EXPECT_EQ(unescaped("\\xzz\\q"), "\\xzz\\q");
}

}  // namespace

TEST(Escape, LeavesPlainText)
{
    EXPECT_EQ(escaped("GET key:000000000001 ~!@#$%^&*()"), "GET key:000000000001 ~!@#$%^&*()");
}

TEST(Escape, ShowsTerminalSequencesInsteadOfSendingThem)
{
    EXPECT_EQ(escaped("\033]0;title\a\033[2J"), R"(\x1b]0;title\x07\x1b[2J)");
}

TEST(Escape, UsesShortFormsWhereThereAre)
{
    EXPECT_EQ(escaped("a\nb\tc\rd\\e"), R"(a\nb\tc\rd\\e)");
}

TEST(Escape, FindsEachSpecialByteAtEachPlace)
{
    for (size_t at = 0; at < 20; at++) {
        for (char special : {'\0', '\x01', '\x1f', '\x7f'}) {
            std::string text(20, 'x');
            text[at] = special;
            std::string want = std::string(at, 'x') +
                               fmt::format("\\x{:02x}", static_cast<unsigned>(special)) +
                               std::string(19 - at, 'x');
            EXPECT_EQ(escaped(text), want);
        }
    }
}

TEST(Escape, KeepsValidUtf8)
{
    EXPECT_EQ(escaped("żółw 水 😀 \u00a0"), "żółw 水 😀 \u00a0");
}

TEST(Escape, ShowsInvalidUtf8ByteByByte)
{
    EXPECT_EQ(escaped("a\xff z"), R"(a\xff z)");
    EXPECT_EQ(escaped("\xc0\x80"), R"(\xc0\x80)");          // overlong NUL
    EXPECT_EQ(escaped("\xe0\x80\xaf"), R"(\xe0\x80\xaf)");  // overlong slash
    EXPECT_EQ(escaped("\xed\xa0\x80"), R"(\xed\xa0\x80)");  // surrogate
    EXPECT_EQ(escaped("\xf4\x90\x80\x80"), R"(\xf4\x90\x80\x80)");
    EXPECT_EQ(escaped("\xe6\xb0"), R"(\xe6\xb0)");  // cut in the middle
    EXPECT_EQ(escaped("\xe6\xb0z"), R"(\xe6\xb0z)");
}

TEST(Escape, ShowsC1ControlsAndReorderingMarks)
{
    EXPECT_EQ(escaped("\u009b2J"), R"(\xc2\x9b2J)");
    EXPECT_EQ(escaped("a\u202eb"), R"(a\xe2\x80\xaeb)");
    EXPECT_EQ(escaped("a\u2066b"), R"(a\xe2\x81\xa6b)");
    EXPECT_EQ(escaped("\u2027\u202f\u2065\u206a"), "\u2027\u202f\u2065\u206a");  // not escaped
}

TEST(Escape, RawChangesNothing)
{
    std::string out;
    append_escaped(out, "\033[31m\\", true);
    EXPECT_EQ(out, "\033[31m\\");
}

TEST(JsonString, EscapesQuotesControlsAndInvalidBytes)
{
    EXPECT_EQ(json_string("say \"hi\"\n\\\x01\x7f\xff"), R"("say \"hi\"\n\\\u0001\u007f\uefff")");
}

TEST(JsonString, TellsAByteFromTheCharacterOfItsNumber)
{
    EXPECT_EQ(json_string("\xff\u00ff"), "\"\\uefff\u00ff\"");
    EXPECT_EQ(json_string("\x9b\u009b"), "\"\\uef9b\\u009b\"");
    EXPECT_EQ(json_string("\xed\xb3\xbf"), R"("\uefed\uefb3\uefbf")");  // U+DCFF, a surrogate
    EXPECT_EQ(json_string("\uefff"), R"("\uefee\uefbf\uefbf")");        // the code for a byte 0xff
}

TEST(JsonString, FindsAQuoteAtEachPlace)
{
    for (size_t at = 0; at < 20; at++) {
        std::string text(20, 'x');
        text[at] = '"';
        EXPECT_EQ(json_string(text),
                  "\"" + std::string(at, 'x') + "\\\"" + std::string(19 - at, 'x') + "\"");
    }
}

TEST(JsonString, IsSafeForATerminalToo)
{
    EXPECT_EQ(json_string("\u009b\u202e水"), "\"\\u009b\\u202e水\"");
}

TEST(Pad, FillsBehindOrBefore)
{
    EXPECT_EQ(padded("ab", 5, true), "=ab   ");
    EXPECT_EQ(padded("ab", 5, false), "=   ab");
    EXPECT_EQ(padded("abcdef", 5, true), "=abcdef");
}

TEST(Pad, CountsCharactersNotBytes)
{
    EXPECT_EQ(padded("żółw", 6, true), "=żółw  ");
    EXPECT_EQ(padded("żółw", 6, false), "=  żółw");
}
