// Names of statements and commands, which databases compare without regard to case.
#pragma once

#include <string>
#include <string_view>

namespace uscope::db {

inline std::string in_small_letters(std::string_view text)
{
    std::string small(text);
    for (char &c : small) {
        if (c >= 'A' && c <= 'Z')
            c += 'a' - 'A';
    }
    return small;
}

}  // namespace uscope::db
