#include "servers/function_probe.h"

namespace uscope::servers {

probe::Parsed function_probe(spec::ProbeKind kind, const std::string &file,
                             const std::string &function, const char *calls)
{
    probe::Parsed parsed;
    parsed.spec.kind = kind;
    parsed.spec.library.text = file;
    parsed.spec.function.text = function;
    parsed.spec.source = file + ":" + function;
    parsed.delivery.sink = expr::Sink::Key;
    parsed.delivery.function = calls;
    return parsed;
}

}  // namespace uscope::servers
