// Small text functions that all folders of common/ use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace uscope {

std::string_view trim(std::string_view text);
// Changes only A to Z, as the traced programs and their protocols do.
std::string lower_case(std::string_view text);
// Returns the parts between separators; an empty text has one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);

// Whether `c` may be part of an identifier: a letter, digit, '_' or a byte of a non-ASCII
// character.
constexpr bool is_identifier(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

// A 64-bit word whose bytes all are `byte`.
constexpr uint64_t each_byte(uint8_t byte)
{
    return 0x0101010101010101ull * byte;
}

// Splits a command line into words as a shell does: blanks, '…', "…", backslash. Errors: an
// unclosed quote, no words, an empty first word.
Result<std::vector<std::string>> split_words(std::string_view text);

// Appends a Unicode character in UTF-8.
void append_utf8(std::string &text, uint32_t character);

// How filters that may be given several times add up: whether there are none, or `matches` accepts
// one of them.
template <class Filters, class Matches>
bool accepts_any(const Filters &filters, const Matches &matches)
{
    for (const auto &filter : filters)
        if (matches(filter))
            return true;
    return filters.empty();
}
// Whether `text` contains one of `parts`, or there are no parts.
bool contains_any(std::string_view text, const std::vector<std::string> &parts);

// Parses a decimal or 0x number; nullopt if the text is not a number or it does not fit.
std::optional<uint64_t> parse_number(std::string_view text);

// Matches the whole text with a shell pattern: * ? [set] [!set] and backslash. * also matches '/'
// and ':'.
bool glob_match(std::string_view pattern, std::string_view text);
// Whether the text contains one of * ? [
bool is_glob(std::string_view text);

// Returns at most `most` of the `candidates` that are similar to `wanted` (by edit distance or as a
// substring), the most similar first.
std::vector<std::string> near_names(std::string_view wanted,
                                    const std::vector<std::string> &candidates, size_t most = 5);
// Returns ", did you mean a, b or c?" for an error line; "" without names.
std::string did_you_mean(const std::vector<std::string> &names);

}  // namespace uscope
