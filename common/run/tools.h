// The tools in this program: all of them in `uscope`, one in each program of `make single`.
//
// The Makefile writes the table from the names in tools/: tools/NAME.cpp defines tool_main() in the
// namespace uscope::tools::NAME, where each '-' of NAME is a '_'.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace uscope::run {

class Tool;

struct ToolEntry {
    std::string_view name;
    Result<> (*main)(Tool &tool);
};

// Sorted by name.
extern const std::span<const ToolEntry> tool_entries;

struct Invocation {
    const ToolEntry *entry = nullptr;  // null: the command line names no tool
    std::string name;  // what the user typed to start it: "trace", "trace-x", "uscope trace"
    int words = 1;     // how many words of the command line this name has
};

// Returns which of `entries` a command line names. If the program's name contains a tool's name
// ("trace", "trace-x", "u-trace"), that is the tool; the longest name wins, then the first.
// Otherwise the next word names it. A program with a single tool is that tool, whatever the
// program's name is.
Invocation find_tool(std::span<const ToolEntry> entries, std::span<char *const> words);

}  // namespace uscope::run
