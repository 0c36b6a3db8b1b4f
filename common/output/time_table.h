// Sums of times by reason.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "output/writer.h"

namespace uscope::output {

struct TimeSum {
    uint64_t ns = 0, count = 0, longest_ns = 0;
};

// Appends a table, the longest time first; nothing if there is no time:
//
//         TIME      %      WAITS  REASON
//        2.35s  94.0%         12  lock
void append_times(Writer &out, const std::map<std::string, TimeSum> &by_reason);

}  // namespace uscope::output
