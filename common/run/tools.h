// The tools that this program holds: all of them in `uscope`, one in a program that `make single` builds.
//
// The table is written by the Makefile from the names in tools/: tools/NAME.cpp defines tool_main() in the namespace
// uscope::tools::NAME, a '-' in NAME being '_' there.
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

// In the order of their names.
extern const std::span<const ToolEntry> tool_entries;

struct Invocation {
    const ToolEntry *entry = nullptr;  // null: the program itself is meant, not one of its tools
    std::string name;  // what the user typed to get here: "trace", "trace-x", "uscope trace"
    int words = 1;     // of the command line: those that named the tool
};

// Which of `entries` a command line asks for. The program's own name decides if a tool's name is part of it
// ("trace", "trace-x", "u-trace"; the longest name, the first of equal ones), else the word behind it. A program with
// one tool is that tool, whatever its name is.
Invocation find_tool(std::span<const ToolEntry> entries, std::span<char *const> words);

}  // namespace uscope::run
