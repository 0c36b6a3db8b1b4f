// Counts and latencies of requests by host and path template: "127.0.0.1:80/users/*".
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "output/histogram.h"
#include "output/rows.h"
#include "wire/request.h"

namespace uscope::wire {

// Replaces the parts of a path that look like ids: "/users/181/posts/0a7f3c" becomes
// "/users/*/posts/*".
std::string path_template(std::string_view path);

class Summary {
  public:
    void add(const Request &request);
    // Prints a row for each URL. `full`: do not cut lines at the terminal's width.
    void print(output::Writer &writer, bool json, bool full) const;

  private:
    struct Counts {
        uint64_t count = 0, errors = 0;
        output::Histogram microseconds;
    };
    std::map<std::string, Counts> counts_;  // by URL
};

}  // namespace uscope::wire
