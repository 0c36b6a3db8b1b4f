// Which requests are wanted, by what is known only when they have been read.
#pragma once

#include <string>

#include "base/result.h"
#include "http/request.h"

namespace uscope::http {

struct Filter {
    std::string method = {};  // in upper case, or lower
    std::string host = {};    // a shell pattern; the port is a part of it
    std::string path = {};    // what it begins with
    std::string status = {};  // "404", "5xx", "error" for none at all, or one broken off

    Result<> check() const;
    bool accepts(const Request &request) const;
};

}  // namespace uscope::http
