// Quotes names for a probe's text.
#include <algorithm>

#include "spec/probe.h"

namespace uscope::spec {

std::string written(std::string_view name)
{
    bool is_plain = name.find_first_of(" \t\n\"(<[{:") == name.npos && !name.starts_with('\'');
    if (is_plain)
        return std::string(name);
    // A quote would end the name, and '[' starts a character class of a glob: replace both by '?',
    // which matches any character.
    char quote = name.find('\'') == name.npos ? '\'' : '"';
    std::string text(name);
    std::replace(text.begin(), text.end(), quote, '?');
    std::replace(text.begin(), text.end(), '[', '?');
    return quote + text + quote;
}

}  // namespace uscope::spec
