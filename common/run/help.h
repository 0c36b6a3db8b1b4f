// The text of --help.
#pragma once

#include <string>

#include "run/command_line.h"

namespace uscope::run {

// Returns the width of --help in columns: $COLUMNS, otherwise the terminal's `columns`, limited to
// 60 to 100; 80 if both are unknown (null or "", and 0).
size_t help_width(size_t columns, const char *columns_variable);

// Appends `text` to a line that already has `indent` columns, and wraps it at `width`. The lines
// that follow are indented by `indent`.
void append_wrapped(std::string &out, std::string_view text, size_t indent, size_t width);

// Returns the text of --help, in lines of at most `width` columns unless a single word is longer.
std::string help_text(const CommandLine &line, size_t width);

}  // namespace uscope::run
