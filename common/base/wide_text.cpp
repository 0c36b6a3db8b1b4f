// Converts between UTF-8, UTF-16 and UTF-32.
#include "base/wide_text.h"

#include <bit>
#include <cstdint>
#include <cstring>

#include "base/text.h"

namespace uscope {
namespace {

constexpr uint32_t replacement = 0xfffd, last_character = 0x10ffff;
constexpr uint32_t first_supplementary = 0x10000;  // UTF-16 has two units for it and those after it

bool is_surrogate(uint32_t unit,
                  uint32_t first)  // 0xd800: the first of two units, 0xdc00: the second
{
    return (unit & ~0x3ffu) == first;
}

uint32_t unit_at(std::string_view bytes, size_t at, unsigned wide)
{
    uint16_t narrow = 0;
    uint32_t unit = 0;
    if (at + wide > bytes.size())
        return 0;
    if (wide == sizeof(unit)) {
        memcpy(&unit, bytes.data() + at, sizeof(unit));
        return unit;
    }
    memcpy(&narrow, bytes.data() + at, sizeof(narrow));
    return narrow;
}

void append_unit(std::string &bytes, uint32_t unit, unsigned wide)
{
    static_assert(std::endian::native == std::endian::little);
    bytes.append(reinterpret_cast<const char *>(&unit), wide);
}

// Returns the character at the start of the text and removes it; nullopt: the text is not UTF-8.
std::optional<uint32_t> take_character(std::string_view &text)
{
    auto first = static_cast<uint8_t>(text[0]);
    size_t bytes = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if ((first >= 0x80 && first < 0xc2) || first > 0xf4 || text.size() < bytes)
        return std::nullopt;
    uint32_t character = bytes == 1 ? first : first & (0x7f >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return std::nullopt;
        character = character << 6 | (text[i] & 0x3f);
    }
    text.remove_prefix(bytes);
    return character;
}

}  // namespace

std::string utf8_of_wide(std::string_view bytes, unsigned wide)
{
    std::string text;
    for (size_t at = 0; at + wide <= bytes.size(); at += wide) {
        uint32_t unit = unit_at(bytes, at, wide);
        uint32_t next = wide == 2 ? unit_at(bytes, at + wide, wide) : 0;
        if (wide == 2 && is_surrogate(unit, 0xd800) && is_surrogate(next, 0xdc00)) {
            unit = first_supplementary + ((unit & 0x3ff) << 10 | (next & 0x3ff));
            at += wide;
        }
        bool is_character =
            unit <= last_character && !is_surrogate(unit, 0xd800) && !is_surrogate(unit, 0xdc00);
        append_utf8(text, is_character ? unit : replacement);
    }
    return text;
}

std::optional<std::string> wide_bytes(std::string_view utf8, unsigned wide)
{
    std::string bytes;
    while (!utf8.empty()) {
        auto character = take_character(utf8);
        if (!character)
            return std::nullopt;
        if (wide == 2 && *character >= first_supplementary) {
            append_unit(bytes, 0xd800 | (*character - first_supplementary) >> 10, wide);
            append_unit(bytes, 0xdc00 | (*character & 0x3ff), wide);
        } else {
            append_unit(bytes, *character, wide);
        }
    }
    return bytes;
}

}  // namespace uscope
