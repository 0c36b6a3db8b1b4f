// What the tools are called where they are installed: `make install NAME_SUFFIX=-x` makes trace-x of
// trace, and then a text that tells people what to type has to name tplist-x, too.
#pragma once

#include <string>
#include <string_view>

namespace uscope {

// This is the tool `tool`, and runs as `called`: what stands before and behind its name there does so
// with the others' names, too. A name that does not contain the tool's own teaches nothing.
void learn_tool_name(std::string_view tool, std::string_view called);
std::string tool_name(std::string_view tool);

}  // namespace uscope
