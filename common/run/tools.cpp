// Finds the tool that a command line names.
#include "run/tools.h"

#include <algorithm>

namespace uscope::run {

Invocation find_tool(std::span<const ToolEntry> entries, std::span<char *const> words)
{
    std::string_view path = words.empty() ? "uscope" : words[0];
    Invocation found = {.name = std::string(path.substr(path.rfind('/') + 1))};
    if (entries.size() == 1) {
        found.entry = &entries[0];
        return found;
    }
    for (const ToolEntry &entry : entries)
        if (found.name.find(entry.name) != std::string::npos &&
            (!found.entry || entry.name.size() > found.entry->name.size()))
            found.entry = &entry;
    if (found.entry || words.size() < 2)
        return found;
    auto named = std::find_if(entries.begin(), entries.end(),
                              [&](const ToolEntry &entry) { return entry.name == words[1]; });
    if (named != entries.end())
        found = {&*named, found.name + " " + words[1], 2};
    return found;
}

}  // namespace uscope::run
