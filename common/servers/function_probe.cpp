#include "servers/function_probe.h"

namespace uscope::servers {

probe::ProbeRequest function_probe(spec::ProbeKind kind, const std::string &file,
                                   const std::string &function, const char *calls)
{
    probe::ProbeRequest parsed;
    parsed.spec.kind = kind;
    parsed.spec.library.text = file;
    parsed.spec.function.text = function;
    parsed.spec.source = file + ":" + function;
    parsed.event_output.kind = expr::OutputKind::Key;
    parsed.event_output.function = calls;
    return parsed;
}

}  // namespace uscope::servers
