// Sums up counted stacks by function.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "output/stack_count.h"
#include "output/writer.h"

namespace uscope::output {

struct FunctionCount {
    std::string name;              // raw
    uint64_t self = 0, total = 0;  // counts of the stacks that end in it, and that have it anywhere
};

// Returns the functions with the largest counts, the largest first. A stack counts once for a
// function that calls itself. The name of the process is no function.
std::vector<FunctionCount> count_functions(const std::vector<StackCount> &stacks, size_t max);

// Appends a table of at most 20 functions:
//
//       SELF    TOTAL  FUNCTION
//     61.20%   98.00%  burn
void append_functions(Writer &out, const std::vector<StackCount> &stacks);

}  // namespace uscope::output
