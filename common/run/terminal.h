// Handles the terminal to which a tool writes: its size, its colours, and output that replaces
// earlier output.
#pragma once

#include <optional>

#include "output/heatmap.h"
#include "run/tool.h"

namespace uscope::run {

// Returns a heatmap with the width and the colours of standard output's terminal.
output::Heatmap terminal_heatmap(const Tool &tool, output::Heatmap::Unit unit);

// Is standard output a terminal on which each output can replace the previous one?
bool redraws(const Tool &tool);

// Call these before and after an output that replaces the previous one. begin_screen() clears the
// screen, moves to its upper left corner, and makes the terminal cut long lines instead of wrapping
// them; end_screen() makes it wrap lines again.
void begin_screen(std::string &out);
void end_screen(std::string &out);

// Returns the number of rows of standard output's terminal; nullopt if it is unknown.
std::optional<unsigned> terminal_rows();

}  // namespace uscope::run
