// Small functions on texts, for all folders of common/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace uscope {

// Removes white space at both ends.
std::string_view trim(std::string_view text);
// Changes only the letters A to Z, independent of the locale, as traced programs and network
// protocols do when they ignore case.
std::string lower_case(std::string_view text);
// Returns the parts of `text` between separators, including empty parts. For an empty text, that is
// one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);

// May `c` be part of an identifier? True for a letter, a digit, '_' and each byte of a non-ASCII
// character in UTF-8.
constexpr bool is_identifier(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

// The characters that separate words: of a probe, a command line, a note.
constexpr std::string_view blanks = " \t\n";
constexpr bool is_blank(char c)
{
    return blanks.find(c) != blanks.npos;
}

// Returns the 64-bit word in which each byte is `byte`.
constexpr uint64_t each_byte(uint8_t byte)
{
    return 0x0101010101010101ull * byte;
}

// Splits a command line into words at blanks, as a shell does; '…', "…" and backslash quote.
// Errors: a quote is not closed, there are no words, or the first word is empty.
Result<std::vector<std::string>> split_words(std::string_view text);

// Appends a Unicode character in UTF-8.
void append_utf8(std::string &text, uint32_t character);

// For an option that users may give several times to select events: an event passes if one of the
// `filters` accepts it, or if there are no filters at all. `matches(filter)`: does this filter
// accept the event?
template <class Filters, class Matches>
bool accepts_any(const Filters &filters, const Matches &matches)
{
    for (const auto &filter : filters)
        if (matches(filter))
            return true;
    return filters.empty();
}
// Does `text` contain one of `parts`? Also true if there are no parts.
bool contains_any(std::string_view text, const std::vector<std::string> &parts);

// Parses a decimal number, or a hexadecimal one after "0x". Returns nullopt if `text` is anything
// else, or if the number does not fit in 64 bits.
std::optional<uint64_t> parse_number(std::string_view text);

// Does the whole `text` match a shell pattern of * ? [set] [!set] and backslash? In contrast to a
// shell's, * also matches '/'.
bool glob_match(std::string_view pattern, std::string_view text);
// Does the text contain one of the characters * ? [
bool is_glob(std::string_view text);

// Returns at most `most` of the `candidates`: those that are similar to `wanted`, the most similar
// first. Similar names differ in a few letters, or one contains the other.
std::vector<std::string> near_names(std::string_view wanted,
                                    const std::vector<std::string> &candidates, size_t max = 5);
// Returns ", did you mean a, b or c?", to append to an error; "" if there are no names.
std::string did_you_mean(const std::vector<std::string> &names);

}  // namespace uscope
