// Shows amounts with their units, as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace uscope::output {

// `unit`: "nsecs", "usecs", "msecs" (also "ns", "us", "ms"), "bytes", or the plural of what is
// counted. Returns "6.33 s", "10,010 bytes", "4.05 MiB", "1 sample", "1,234 samples".
std::string amount_text(uint64_t amount, std::string_view unit);

}  // namespace uscope::output
