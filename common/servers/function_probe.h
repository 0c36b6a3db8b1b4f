// Probes on known functions of servers, without expressions.
#pragma once

#include "probe/request.h"

namespace uscope::servers {

// `calls`: the C function of the tool's object that the probe's program calls. For USDT probes the
// caller fills in provider and name.
probe::ProbeRequest function_probe(spec::ProbeKind kind, const std::string &file,
                                   const std::string &function, const char *calls);

}  // namespace uscope::servers
