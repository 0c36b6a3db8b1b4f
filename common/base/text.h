// Small helpers over text that every room needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace uscope {

std::string_view trim(std::string_view text);
// A to Z only: other letters stay, as the programs that are traced and the languages of protocols have it.
std::string lower_case(std::string_view text);
// The parts between separators; an empty text has one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);

// May `c` be part of an identifier? Letters, digits, '_' and every byte of a non-ASCII character.
constexpr bool is_identifier(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

// A word of which each byte is `byte`.
constexpr uint64_t each_byte(uint8_t byte)
{
    return 0x0101010101010101ull * byte;
}

// A command line's words, as a shell separates them: blanks, '…', "…", backslash. Errors: an open
// quote, no word or an empty first one.
Result<std::vector<std::string>> split_words(std::string_view text);

// Adds a Unicode character in UTF-8.
void append_utf8(std::string &text, uint32_t character);

// A whole decimal or 0x number that fits, or nothing.
std::optional<uint64_t> parse_number(std::string_view text);

// Shell pattern: * ? [set] [!set] and backslash. Matches the whole text; * also matches '/' and
// ':'.
bool glob_match(std::string_view pattern, std::string_view text);
// Does it hold any of * ? [ ?
bool is_glob(std::string_view text);

// At most `most` of `candidates` that resemble `wanted` (edit distance, substring), nearest first.
std::vector<std::string> near_names(std::string_view wanted,
                                    const std::vector<std::string> &candidates, size_t most = 5);
// ", did you mean a, b or c?" for an error line; empty when there is nothing near.
std::string did_you_mean(const std::vector<std::string> &names);

}  // namespace uscope
