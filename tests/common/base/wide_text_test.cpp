#include "base/wide_text.h"

#include <gtest/gtest.h>

namespace uscope {
namespace {

std::string bytes_of(std::u16string_view text)
{
    return {reinterpret_cast<const char *>(text.data()), text.size() * sizeof(char16_t)};
}
std::string bytes_of(std::u32string_view text)
{
    return {reinterpret_cast<const char *>(text.data()), text.size() * sizeof(char32_t)};
}

TEST(WideText, IsConvertedInBothDirections)
{
    EXPECT_EQ(utf8_of_wide(bytes_of(u"Zoë €🦀"), 2), "Zoë €🦀");
    EXPECT_EQ(utf8_of_wide(bytes_of(U"Zoë €🦀"), 4), "Zoë €🦀");
    EXPECT_EQ(wide_bytes("Zoë €🦀", 2), bytes_of(u"Zoë €🦀"));
    EXPECT_EQ(wide_bytes("Zoë €🦀", 4), bytes_of(U"Zoë €🦀"));
    EXPECT_EQ(utf8_of_wide("", 2), "");
    EXPECT_EQ(wide_bytes("", 4), "");
}

TEST(WideText, OfNoCharactersIsReplaced)
{
    using namespace std::literals;
    EXPECT_EQ(utf8_of_wide("\x00\xd8\x41\x00"sv, 2), "\xef\xbf\xbd\x41");  // half of a pair
    EXPECT_EQ(utf8_of_wide("\x41\x00\x00\xd8"sv, 2), "\x41\xef\xbf\xbd");
    EXPECT_EQ(utf8_of_wide("\x00\xdc"sv, 2), "\xef\xbf\xbd");
    EXPECT_EQ(utf8_of_wide("\xff\xff\xff\xff"sv, 4), "\xef\xbf\xbd");
    EXPECT_EQ(utf8_of_wide("\x41\x00\x42"sv, 2), "A");  // half a unit
    for (const char *no_utf8 : {"\xff", "\xc3", "\xc3\x28", "\x80", "\xe2\x82"})
        EXPECT_FALSE(wide_bytes(no_utf8, 2)) << no_utf8;
}

}  // namespace
}  // namespace uscope
