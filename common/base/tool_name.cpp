// Remembers the prefix and suffix of the installed tools' names.
#include "base/tool_name.h"

namespace uscope {
namespace {

std::string prefix, suffix;

}  // namespace

void learn_tool_name(std::string_view tool, std::string_view called)
{
    size_t start = called.find(tool);
    prefix = called.substr(0, start == called.npos ? 0 : start);
    suffix = start == called.npos ? "" : called.substr(start + tool.size());
}

std::string tool_name(std::string_view tool)
{
    return prefix + std::string(tool) + suffix;
}

}  // namespace uscope
