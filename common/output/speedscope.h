// Writes counted stacks in speedscope's file format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "output/stack_count.h"

namespace uscope::output {

// `unit` is one that speedscope knows: "none", "nanoseconds", "bytes". A stack's weight is its
// count times `value_of_one`.
void append_speedscope(std::string &out, std::string_view name, std::string_view unit,
                       uint64_t value_of_one, const std::vector<StackCount> &stacks);

}  // namespace uscope::output
