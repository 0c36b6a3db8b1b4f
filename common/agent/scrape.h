// Reads the metrics of a tool, as Prometheus does.
#pragma once

#include <string>

#include "base/result.h"

namespace uscope::agent {

// `socket`: as the tool's --prometheus, "@NAME". Waits up to two seconds. Errors: no whole answer.
Result<std::string> scrape(const std::string &socket);

}  // namespace uscope::agent
