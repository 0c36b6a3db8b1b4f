// The installed names of the tools. `make install NAME_SUFFIX=-x` installs trace as trace-x; texts
// that tell users what to type must then say tplist-x as well.
#pragma once

#include <string>
#include <string_view>

namespace uscope {

// Learns from this tool's name `tool` and the name `called` under which it runs: a prefix or suffix
// in `called` applies to all tools. Learns nothing if `called` does not contain `tool`.
void learn_tool_name(std::string_view tool, std::string_view called);
// Returns the installed name of `tool`.
std::string tool_name(std::string_view tool);

}  // namespace uscope
