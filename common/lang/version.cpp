// Parses and prints versions.
#include "lang/version.h"

#include <charconv>

#include "base/format.h"

namespace uscope::lang {

Version Version::in(std::string_view text)
{
    Version version;
    size_t at = text.find_first_of("0123456789");
    if (at == text.npos)
        return version;
    const char *from = text.data() + at, *end = text.data() + text.size();
    for (unsigned *part : {&version.major, &version.minor, &version.patch}) {
        auto [rest, error] = std::from_chars(from, end, *part);
        if (error != std::errc())
            break;
        if (rest == end || *rest != '.')
            break;
        from = rest + 1;
    }
    return version;
}

std::string to_string(const Version &version)
{
    std::string text = fmt::format("{}.{}", version.major, version.minor);
    if (version.patch)
        text += fmt::format(".{}", version.patch);
    return text;
}

}  // namespace uscope::lang
