// A counted stack, as in a line of folded stacks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "output/frame.h"

namespace uscope::output {

struct StackCount {
    std::vector<Frame> frames;  // the root (the name of the process) first
    uint64_t count = 0;
    uint64_t before = 0;  // in a comparison: the count in the earlier recording
};

// Appends "comm;root;…;leaf COUNT" and a newline, the format that stackcollapse scripts write and
// flamegraph.pl, speedscope and others read. In names, ';' becomes ':', and unsafe characters
// (newlines as well) are escaped as for terminals.
void append_folded(std::string &out, const StackCount &stack);

// Parses folded lines; names stay as they are written. Guesses the kinds of frames from the names:
// a name that ends with "_[k]" is the kernel's. Errors: a line without a count.
Result<std::vector<StackCount>> parse_folded(std::string_view text);

}  // namespace uscope::output
