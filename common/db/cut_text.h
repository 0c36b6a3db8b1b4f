// Texts of statements and commands that were cut.
#pragma once

#include <string_view>

namespace uscope::db {

// A text that was cut somewhere, without the part of a UTF-8 character that may be left at its end.
inline std::string_view without_part_of_character(std::string_view text)
{
    auto is_continued = [](unsigned char byte) { return (byte & 0xc0) == 0x80; };
    size_t start = text.size();
    while (start > 0 && text.size() - start < 3 && is_continued(text[start - 1]))
        start--;
    unsigned char first = start > 0 ? text[start - 1] : 0;
    size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
    size_t there = text.size() - start + 1;
    return there < bytes ? text.substr(0, start - 1) : text;
}

}  // namespace uscope::db
