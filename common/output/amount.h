// Shows amounts with their units, as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace uscope::output {

// `unit`: "nsecs", "usecs", "msecs" (also "ns", "us", "ms"), "bytes", the plural of what is
// counted, or "". Returns "6.33 s", "10,010 bytes", "4.05 MiB", "1 sample", "1,234 samples", "7".
std::string amount_text(uint64_t amount, std::string_view unit);

// Returns the number of nanoseconds in a unit of time; 0 for other units.
uint64_t nanoseconds_of(std::string_view unit);

}  // namespace uscope::output
