// The text of --help.
#pragma once

#include <string>

#include "run/command_line.h"

namespace uscope::run {

// The columns of --help: `columns` or $COLUMNS, but from 60 to 100; 80 if both are unknown (0, "").
size_t help_width(size_t columns, const char *columns_variable);

// Ends a line that has `indent` columns with `text`, which continues on as many lines as it needs.
void append_wrapped(std::string &out, std::string_view text, size_t indent, size_t width);

// Options, explanation and examples, in at most `width` columns where the words allow it.
std::string help_text(const CommandLine &line, size_t width);

}  // namespace uscope::run
