// What the terminal is like that a tool writes to.
#pragma once

#include "output/heatmap.h"
#include "run/tool.h"

namespace uscope::run {

struct TerminalSize {
    size_t columns = 80, rows = 0;  // what is not known: 80, and no limit
};
TerminalSize terminal_size();  // of standard output

// A heatmap as wide and as coloured as standard output.
output::Heatmap terminal_heatmap(const Tool &tool, output::Heatmap::Unit unit);

}  // namespace uscope::run
