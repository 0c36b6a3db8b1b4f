// Parses locations whose names are regular expressions.
#include "spec/probe.h"

namespace uscope::spec {

Result<Probe> parse_regex(std::string_view text)
{
    Probe probe;
    probe.source = text;
    probe.is_regex = true;
    size_t at = 0;
    if (text.starts_with("r:"))
        probe.kind = ProbeKind::Return;
    else if (text.starts_with("u:"))
        probe.kind = ProbeKind::Usdt;
    else if (text.starts_with("t:"))
        probe.kind = ProbeKind::Tracepoint;
    if (probe.kind != ProbeKind::Entry || text.starts_with("p:"))
        at = 2;

    if (size_t colon = text.find(':', at);
        probe.kind != ProbeKind::Tracepoint && colon != text.npos) {
        probe.library = {std::string(text.substr(at, colon - at)), at};
        at = colon + 1;
    }
    Piece regex = {std::string(text.substr(at)), at};
    if (regex.text.empty())
        return fail_at(text, at, "a regular expression is missing, as in c:^str(len|cpy)$");
    bool is_function = probe.kind == ProbeKind::Entry || probe.kind == ProbeKind::Return;
    (is_function ? probe.function : probe.event) = std::move(regex);
    return probe;
}

}  // namespace uscope::spec
