// The table of the tools in this program: `uscope` contains all tools, and each program that `make
// single` builds contains one.
//
// The Makefile generates the table from the names of files in tools/. tools/NAME.cpp defines
// tool_main() in the namespace uscope::tools::NAME, where each '-' of NAME is a '_'. So does
// tools/uscope/NAME.cpp, for a command of `uscope` itself.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace uscope::run {

class Tool;

struct ToolEntry {
    std::string_view name;
    Result<> (*main)(Tool &tool);
    bool is_command = false;  // has no link: only `uscope NAME` runs it
};

// The tools and then the commands, both sorted by name.
extern const std::span<const ToolEntry> tool_entries;

// BCC's name for a tool with options: javacalls for `ucalls -l java`. If the options end in PID MS,
// the name takes these two arguments: mysqld_qslower 181 10 is `dbslower mysql -p 181 -m 10`.
struct Alias {
    static constexpr std::string_view pid_and_ms = " PID MS";
    std::string_view name, tool, options;

    bool takes_pid() const;
};
// From tools/aliases (mk/tools.mk); only the programs have them.
extern const std::span<const Alias> aliases;

struct Invocation {
    const ToolEntry *entry = nullptr;  // null: the command line names no tool
    // What starts the tool: "trace", "trace-x", "uscope trace". For an alias, it has the tool's
    // name instead: "xucalls" for xjavacalls.
    std::string name;
    int words = 1;                 // the number of words that the user typed for it
    const Alias *alias = nullptr;  // null: none was typed
    std::string alias_name = {};   // what starts the tool by it: "uscope javacalls"

    // Returns the tool's arguments, with those of the alias. `typed`: the words after the name.
    std::vector<std::string> arguments(std::vector<std::string> typed) const;
    // What the alias stands for, without its arguments: "uscope dbslower mysql".
    std::string command() const;
    // Does the alias take a PID, which these words lack?
    bool lacks_pid(const std::vector<std::string> &typed) const;
};

// Returns the one of `entries` that a command line names. If the program's name contains the name
// of a tool or an alias ("trace", "trace-x", "u-trace"), that is the tool; if it contains several,
// the longest of them, and of equally long ones the first. Otherwise, the next word is the name. If
// there is only one entry, that is the tool, whatever the program's name is.
Invocation find_tool(std::span<const ToolEntry> entries, std::span<char *const> words,
                     std::span<const Alias> aliases = {});

// Runs the tool with the words that follow its name. Prints an error on standard error. Returns the
// exit status: 0 success, 1 failure, 2 wrong usage.
int run_tool(const Invocation &invocation, std::span<char *const> words);

}  // namespace uscope::run
