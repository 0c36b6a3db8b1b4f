// Versions of runtimes: "3.11.2".
#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace uscope::lang {

struct Version {
    unsigned major = 0, minor = 0, patch = 0;  // all 0: unknown

    bool is_known() const { return major != 0; }
    auto operator<=>(const Version &) const = default;

    // Of the first number in the text, with what follows it: "libpython3.11.so.1.0" is 3.11.
    static Version in(std::string_view text);
};

// "3.11.2"; "3.11" when there is no more.
std::string to_string(const Version &version);

}  // namespace uscope::lang
