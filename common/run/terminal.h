// Properties of the terminal that a tool writes to.
#pragma once

#include <optional>

#include "output/heatmap.h"
#include "run/tool.h"

namespace uscope::run {

// A heatmap as wide and as coloured as standard output.
output::Heatmap terminal_heatmap(const Tool &tool, output::Heatmap::Unit unit);

// Whether standard output is a terminal on which what is shown can be replaced.
bool redraws(const Tool &tool);

// Around what replaces the last: from the upper left corner of an empty screen; lines that are too long are
// cut, not wrapped.
void begin_screen(std::string &out);
void end_screen(std::string &out);

// The rows of standard output's terminal; nothing when they are unknown.
std::optional<unsigned> terminal_rows();

}  // namespace uscope::run
