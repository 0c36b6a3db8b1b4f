// The names under which the tools are installed. With `make install NAME_SUFFIX=-x`, trace is
// installed as trace-x, and its messages must then call the other tools tplist-x and so on, so that
// users can type what they read.
#pragma once

#include <string>
#include <string_view>

namespace uscope {

// Remembers the prefix and suffix that the name `called`, under which this tool runs, adds to its
// original name `tool`: they are the same for all tools. Both stay empty if `called` does not
// contain `tool`.
void learn_tool_name(std::string_view tool, std::string_view called);
// Returns the installed name of `tool`.
std::string tool_name(std::string_view tool);

}  // namespace uscope
