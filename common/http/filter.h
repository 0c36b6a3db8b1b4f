// Which requests are wanted, by what is known only when they have been read.
#pragma once

#include <string>

#include "base/result.h"
#include "http/request.h"
#include "run/tool.h"

namespace uscope::http {

struct Filter {
    std::string method = {};  // in upper case, or lower
    std::string host = {};    // a shell pattern; the port is a part of it
    std::string path = {};    // what it begins with
    std::string status = {};  // "404", "5xx", "error" for none at all, or one broken off
    uint64_t min_ns = 0;      // of their latency

    void declare(run::Tool &tool);
    Result<> check() const;
    bool accepts(const Request &request) const;
};

}  // namespace uscope::http
