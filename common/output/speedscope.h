// Counted stacks as a file for speedscope, in its own format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "output/flame_graph.h"

namespace uscope::output {

// `unit` as speedscope knows units: "none", "nanoseconds", "bytes". Each stack weighs its count times
// `value_of_one`.
void append_speedscope(std::string &out, std::string_view name, std::string_view unit,
                       uint64_t value_of_one, const std::vector<StackCount> &stacks);

}  // namespace uscope::output
