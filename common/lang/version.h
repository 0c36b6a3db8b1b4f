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

    // The first version in the text: "libpython3.11.so.1.0" is 3.11.
    static Version in(std::string_view text);
};

// Returns the entry of a table for a version, whatever its patch; null if there is none.
template <class Release, size_t Count>
const Release *find_release(const Release (&releases)[Count], const Version &version)
{
    for (const Release &release : releases)
        if (release.version.major == version.major && release.version.minor == version.minor)
            return &release;
    return nullptr;
}

// "3.11.2"; "3.11" if the patch is 0.
std::string to_string(const Version &version);

}  // namespace uscope::lang
