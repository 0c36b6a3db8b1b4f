// Selects requests by what is known of them only after their event has been read.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "run/tool.h"
#include "wire/request.h"

namespace uscope::http {

struct Filter {
    using Texts = std::vector<std::string>;  // one must match; empty: all do

    Texts methods = {};   // compared without regard to case
    Texts hosts = {};     // shell patterns, matched against host and port
    Texts paths = {};     // prefixes
    Texts statuses = {};  // "404", "5xx", "error": no response, or an incomplete one
    uint64_t min_ns = 0;  // least latency

    void declare(run::Tool &tool);
    Result<> check() const;
    bool accepts(const wire::Request &request) const;
};

}  // namespace uscope::http
