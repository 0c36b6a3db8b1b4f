// Helps with texts of statements and commands that were cut because they are too long.
#pragma once

#include <string_view>

namespace uscope::db {

// Removes an incomplete UTF-8 character from the end of a text that was cut.
inline std::string_view without_part_of_character(std::string_view text)
{
    auto is_continued = [](unsigned char byte) { return (byte & 0xc0) == 0x80; };
    size_t start = text.size();
    while (start > 0 && text.size() - start < 3 && is_continued(text[start - 1]))
        start--;
    unsigned char first = start > 0 ? text[start - 1] : 0;
    size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
    size_t present = text.size() - start + 1;
    return present < bytes ? text.substr(0, start - 1) : text;
}

}  // namespace uscope::db
