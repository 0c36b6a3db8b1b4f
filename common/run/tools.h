// The table of the tools in this program: `uscope` contains all tools, and each program that `make
// single` builds contains one.
//
// The Makefile generates the table from the names of files in tools/. tools/NAME.cpp defines
// tool_main() in the namespace uscope::tools::NAME, where each '-' of NAME is a '_'.
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
    std::string name;  // what the user typed to start the tool: "trace", "trace-x", "uscope trace"
    int words = 1;     // the number of words in this name
};

// Returns the one of `entries` that a command line names. If the program's name contains the name
// of a tool ("trace", "trace-x", "u-trace"), that is the tool; if it contains several, the longest
// of them, and of equally long ones the first. Otherwise, the next word is the tool's name. If
// there is only one entry, that is the tool, whatever the program's name is.
Invocation find_tool(std::span<const ToolEntry> entries, std::span<char *const> words);

}  // namespace uscope::run
