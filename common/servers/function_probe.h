// Probes of tools that know the functions of servers, without expressions of their own.
#pragma once

#include "probe/request.h"

namespace uscope::servers {

// `calls`: the C function of the tool's object that its program calls. Of USDT the names are the
// caller's to add.
probe::ProbeRequest function_probe(spec::ProbeKind kind, const std::string &file,
                                   const std::string &function, const char *calls);

}  // namespace uscope::servers
