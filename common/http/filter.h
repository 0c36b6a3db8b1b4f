// Selects requests by what is known only once their event was read.
#pragma once

#include <string>

#include "base/result.h"
#include "http/request.h"
#include "run/tool.h"

namespace uscope::http {

struct Filter {
    std::string method = {};  // compared without regard to case
    std::string host = {};    // a shell pattern, matched against host and port
    std::string path = {};    // a prefix
    std::string status = {};  // "404", "5xx", "error": no response, or an incomplete one
    uint64_t min_ns = 0;      // least latency

    void declare(run::Tool &tool);
    Result<> check() const;
    bool accepts(const Request &request) const;
};

}  // namespace uscope::http
