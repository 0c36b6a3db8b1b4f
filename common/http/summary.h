// Requests summed up by host and kind of path: "127.0.0.1:80/users/*".
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "http/request.h"
#include "output/histogram.h"
#include "output/rows.h"

namespace uscope::http {

// The kind of a path: what looks like an id is a '*'. "/users/181/posts/0a7f3c" is
// "/users/*/posts/*".
std::string path_template(std::string_view path);

class Summary {
  public:
    void add(const Request &request);
    // A row for each URL. `full`: lines are not cut at a terminal's width.
    void print(output::Writer &writer, bool json, bool full) const;

  private:
    struct Counts {
        uint64_t count = 0, errors = 0;
        output::Histogram microseconds;
    };
    std::map<std::string, Counts> counts_;  // by URL
};

}  // namespace uscope::http
