// The terminal that a tool writes to: its size, its colours, and how to redraw it.
#pragma once

#include <optional>

#include "output/heatmap.h"
#include "run/tool.h"

namespace uscope::run {

// A heatmap with the width and colours of standard output.
output::Heatmap terminal_heatmap(const Tool &tool, output::Heatmap::Unit unit);

// Is standard output a terminal on which each output can replace the one before?
bool redraws(const Tool &tool);

// Call before and after an output that replaces the one before: clears the screen, starts in its
// upper left corner, and cuts long lines instead of wrapping them.
void begin_screen(std::string &out);
void end_screen(std::string &out);

// The number of rows of standard output's terminal; nullopt if unknown.
std::optional<unsigned> terminal_rows();

}  // namespace uscope::run
