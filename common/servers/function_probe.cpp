// Fills in the request for a probe on a known function.
#include "servers/function_probe.h"

namespace uscope::servers {

probe::ProbeRequest function_probe(spec::ProbeKind kind, const std::string &file,
                                   const std::string &function, const char *calls)
{
    probe::ProbeRequest request;
    request.spec.kind = kind;
    request.spec.library.text = file;
    request.spec.function.text = function;
    request.spec.source = file + ":" + function;
    request.event_output.kind = expr::OutputKind::Key;
    request.event_output.function = calls;
    return request;
}

}  // namespace uscope::servers
