// Asks the tools themselves what they can do, on this machine or for one process: a child process
// runs each tool as a command line would. So a tool's refusal is in its own words.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <sys/types.h>

#include "run/tools.h"

namespace uscope::doctor {

struct ToolState {
    std::string tool;
    enum class Kind : uint8_t {
        Works,
        Refuses,
        NotTried,  // it needs a program that does not run here
    };
    Kind kind = Kind::Works;
    std::string reason = {};              // for Refuses and NotTried
    std::vector<std::string> notes = {};  // Works: what it will not show, and why
};

// "works", "refuses" or "not_tried"
const char *state_name(ToolState::Kind kind);

// Lets each tool attach its probes to a process that this function starts and ends (`cat`). The
// tools for languages and servers that need another program are not tried.
std::vector<ToolState> try_tools(std::span<const run::ToolEntry> entries);

// Runs each tool with --dry-run for the process, which attaches nothing. Tools with probes on their
// command line are asked about `function`.
struct AskedFunction {
    std::string file;  // as the process sees it
    std::string name;
};
std::vector<ToolState> ask_tools(std::span<const run::ToolEntry> entries, pid_t pid,
                                 const AskedFunction &function);

}  // namespace uscope::doctor
