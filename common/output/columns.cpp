// Counts columns of UTF-8 text, eight bytes at a time.
#include "output/columns.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "base/text.h"

namespace uscope::output {
namespace {

struct WideRange {
    char32_t first, last;
};

// https://www.unicode.org/Public/15.1.0/ucd/EastAsianWidth.txt: W and F. Unassigned code points
// between two wide ones count as wide.
constexpr WideRange wide_ranges[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},
    {0x23f0, 0x23f0},   {0x23f3, 0x23f3},   {0x25fd, 0x25fe},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x267f, 0x267f},   {0x2693, 0x2693},   {0x26a1, 0x26a1},
    {0x26aa, 0x26ab},   {0x26bd, 0x26be},   {0x26c4, 0x26c5},   {0x26ce, 0x26ce},
    {0x26d4, 0x26d4},   {0x26ea, 0x26ea},   {0x26f2, 0x26f3},   {0x26f5, 0x26f5},
    {0x26fa, 0x26fa},   {0x26fd, 0x26fd},   {0x2705, 0x2705},   {0x270a, 0x270b},
    {0x2728, 0x2728},   {0x274c, 0x274c},   {0x274e, 0x274e},   {0x2753, 0x2755},
    {0x2757, 0x2757},   {0x2795, 0x2797},   {0x27b0, 0x27b0},   {0x27bf, 0x27bf},
    {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},   {0x2b55, 0x2b55},   {0x2e80, 0x303e},
    {0x3041, 0x4dbf},   {0x4e00, 0xa4cf},   {0xa960, 0xa97c},   {0xac00, 0xd7a3},
    {0xf900, 0xfaff},   {0xfe10, 0xfe19},   {0xfe30, 0xfe6b},   {0xff01, 0xff60},
    {0xffe0, 0xffe6},   {0x16fe0, 0x18d08}, {0x1aff0, 0x1b2fb}, {0x1f004, 0x1f004},
    {0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f320},
    {0x1f32d, 0x1f335}, {0x1f337, 0x1f37c}, {0x1f37e, 0x1f393}, {0x1f3a0, 0x1f3ca},
    {0x1f3cf, 0x1f3d3}, {0x1f3e0, 0x1f3f0}, {0x1f3f4, 0x1f3f4}, {0x1f3f8, 0x1f43e},
    {0x1f440, 0x1f440}, {0x1f442, 0x1f4fc}, {0x1f4ff, 0x1f53d}, {0x1f54b, 0x1f54e},
    {0x1f550, 0x1f567}, {0x1f57a, 0x1f57a}, {0x1f595, 0x1f596}, {0x1f5a4, 0x1f5a4},
    {0x1f5fb, 0x1f64f}, {0x1f680, 0x1f6c5}, {0x1f6cc, 0x1f6cc}, {0x1f6d0, 0x1f6d2},
    {0x1f6d5, 0x1f6d7}, {0x1f6dc, 0x1f6df}, {0x1f6eb, 0x1f6ec}, {0x1f6f4, 0x1f6fc},
    {0x1f7e0, 0x1f7f0}, {0x1f90c, 0x1f93a}, {0x1f93c, 0x1f945}, {0x1f947, 0x1f9ff},
    {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
};
// The first byte of the first wide character. All wide characters start with this byte or a greater
// one.
constexpr uint8_t least_wide_lead = 0xe1;

bool is_continuation(char byte)
{
    return (uint8_t(byte) & 0xc0) == 0x80;
}

bool is_wide(char32_t character)
{
    auto range = std::upper_bound(
        std::begin(wide_ranges), std::end(wide_ranges), character,
        [](char32_t wanted, const WideRange &range) { return wanted < range.first; });
    return range != std::begin(wide_ranges) && character <= std::prev(range)->last;
}

// Does `text` start with a wide character? It may be truncated, or not be UTF-8.
bool starts_with_wide(std::string_view text)
{
    uint8_t lead = text[0];
    if (lead < least_wide_lead)
        return false;
    size_t size = lead < 0xf0 ? 3 : 4;
    if (text.size() < size)
        return false;
    char32_t character = lead & (size == 3 ? 0x0f : 0x07);
    for (char byte : text.substr(1, size - 1)) {
        if (!is_continuation(byte))
            return false;
        character = character << 6 | (uint8_t(byte) & 0x3f);
    }
    return is_wide(character);
}

}  // namespace

size_t columns(std::string_view text)
{
    size_t count = text.size(), at = 0;
    bool may_be_wide = false;
    for (; text.size() - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, text.data() + at, 8);
        // Bytes 10xxxxxx are not first bytes.
        if (uint64_t continuations = word & ~(word << 1) & each_byte(0x80))
            count -= size_t(std::popcount(continuations));
        // Bytes from 0xe0 on have these three bits.
        may_be_wide |= word & (word << 1) & (word << 2) & each_byte(0x80);
    }
    for (; at < text.size(); at++) {
        count -= is_continuation(text[at]);
        may_be_wide |= uint8_t(text[at]) >= least_wide_lead;
    }
    for (at = 0; may_be_wide && at < text.size(); at++)
        count += starts_with_wide(text.substr(at));
    return count;
}

size_t bytes_of_columns(std::string_view text, size_t columns)
{
    size_t at = 0, used = 0;
    for (; at < text.size(); at++) {
        if (is_continuation(text[at]))
            continue;
        used += 1 + starts_with_wide(text.substr(at));
        if (used > columns)
            break;
    }
    return at;
}

}  // namespace uscope::output
