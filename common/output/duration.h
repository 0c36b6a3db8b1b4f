// Shows durations as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace uscope::output {

// Three digits and the unit: "850ns", "12.3us", "1.23ms", "2.35s"; from 1000 seconds on all digits.
std::string duration_text(uint64_t ns);
// Always in milliseconds: "0.01ms", "1234.57ms".
std::string milliseconds_text(uint64_t ns);

}  // namespace uscope::output
