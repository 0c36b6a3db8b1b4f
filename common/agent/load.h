// Reads the agent's file, and asks the tools about their options.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agent/config.h"
#include "base/result.h"

namespace uscope::agent {

using Words = std::vector<std::string>;

struct Loaded {
    Config config;
    std::map<std::string, Words> commands;  // of each tool, by its name in the file
    std::vector<Problem> problems;          // if there are any, the rest must not be used
    std::vector<Problem> warnings;          // tools that cannot run now
};

// The socket on which the agent in this process reads the metrics of a tool.
std::string socket_of(const std::string &name);

// `known`: commands that were checked before. The others are checked by running the tools with
// --dry-run, all at once; only wrong usage is a problem. What may end (a server starts later,
// privileges) is a warning. Errors: the file cannot be read.
Result<Loaded> load(const std::string &path, const std::map<std::string, Words> &known = {});

}  // namespace uscope::agent
