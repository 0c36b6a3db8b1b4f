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
// (newlines as well) are escaped as for terminals. `compared`: the count before precedes COUNT, as
// difffolded.pl writes it for flamegraph.pl.
void append_folded(std::string &out, const StackCount &stack, bool compared = false);

// Appends "# unit: bytes", which precedes the lines of counts that are not numbers of events.
// Programs that read folded lines skip lines without a count.
void append_unit(std::string &out, std::string_view unit);

struct FoldedStacks {
    std::vector<StackCount> stacks = {};
    std::string unit = {};  // "": the lines do not name one
};
// Parses folded lines; names stay as they are written. Guesses the kinds of frames from the names:
// a name that ends with "_[k]" is the kernel's. Errors: a line without a count.
Result<FoldedStacks> parse_folded(std::string_view text);

// Adds up the counts of stacks whose frames are equal.
std::vector<StackCount> merged(const std::vector<StackCount> &stacks);

}  // namespace uscope::output
