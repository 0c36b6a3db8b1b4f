// Matches a name and its group (provider or category): both joined by a regular expression, or each
// by its own glob.
#include "resolve/patterns.h"

#include <memory>

#include "base/text.h"

namespace uscope::resolve {

Result<Regex> compile_regex(const spec::Probe &probe, const spec::Piece &piece)
{
    auto regex = Regex::compile(piece.text);
    if (!regex)
        return fail_at(probe.source, piece.column, "{}", regex.error().text);
    return regex;
}

Result<NameMatcher> name_matcher(const spec::Probe &probe)
{
    if (probe.is_regex) {
        auto regex = std::make_shared<Regex>(TRY(compile_regex(probe, probe.event)));
        bool alone = probe.kind == spec::ProbeKind::Usdt;
        return NameMatcher([regex, alone](const std::string &group, const std::string &name) {
            return regex->matches(group + ":" + name) || (alone && regex->matches(name));
        });
    }
    return NameMatcher([&probe](const std::string &group, const std::string &name) {
        return (probe.category.text.empty() || glob_match(probe.category.text, group)) &&
               glob_match(probe.event.text, name);
    });
}

}  // namespace uscope::resolve
