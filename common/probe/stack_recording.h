// Stacks by the names of their frames: read from a file that -f has written (--replay), or compared
// with one (--diff).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "output/compared_stacks.h"
#include "output/stack_count.h"
#include "probe/stack_options.h"

namespace uscope::probe {

// Errors name the file.
Result<output::FoldedStacks> read_recording(const std::string &path);

class StackComparison {
  public:
    // Reads the file of --diff, if there is one. `unit`: of the new counts, as in a recording ("":
    // events). Errors: the file has another unit.
    Result<> open(const StackOptions &options, std::string_view unit = "");
    // Fills in StackCount::before, and adds the stacks that are gone.
    void apply(std::vector<output::StackCount> &stacks) const { before_.compare(stacks); }

  private:
    output::StacksBefore before_;
};

// Prints stacks as text, folded or as JSON: the least change (without --diff, count) first.
// `amounts`: what the counts are, for the heading: "samples".
void print_stacks(run::Tool &tool, const StackOptions &options,
                  std::vector<output::StackCount> stacks, std::string_view amounts);

}  // namespace uscope::probe
