// Wraps the C library's regcomp() and regexec().
#include "base/regex.h"

namespace uscope {

Result<Regex> Regex::compile(const std::string &text)
{
    auto compiled = std::make_unique<regex_t>();
    if (int error = regcomp(compiled.get(), text.c_str(), REG_EXTENDED)) {
        char why[128];
        regerror(error, compiled.get(), why, sizeof(why));
        return fail("'{}' is not an extended regular expression: {}", text, why);
    }
    return Regex(compiled.release());
}

bool Regex::matches(std::string_view text) const
{
    // regexec() returns the leftmost match. If that does not start at 0, no match does.
    regmatch_t match = {0, static_cast<regoff_t>(text.size())};
    return regexec(regex_.get(), text.data(), 1, &match, REG_STARTEND) == 0 && match.rm_so == 0;
}

bool Regex::is_in(std::string_view text) const
{
    regmatch_t match = {0, static_cast<regoff_t>(text.size())};
    return regexec(regex_.get(), text.data(), 1, &match, REG_STARTEND) == 0;
}

}  // namespace uscope
