// Finds the tool that a command line names, and runs it.
#include "run/tools.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "base/recording.h"
#include "output/caret.h"
#include "run/tool.h"

namespace uscope::run {
namespace {

void print_error(Tool &tool, const Error &error)
{
    tool.note_text(error.text, Tool::Tone::Warning);
    if (!error.source.empty())
        fputs(output::show_caret(error.source, error.column).c_str(), stderr);
}

}  // namespace

Invocation find_tool(std::span<const ToolEntry> entries, std::span<char *const> words)
{
    std::string_view path = words.empty() ? "uscope" : words[0];
    Invocation found = {.name = std::string(path.substr(path.rfind('/') + 1))};
    if (entries.size() == 1) {
        found.entry = &entries[0];
        return found;
    }
    for (const ToolEntry &entry : entries)
        if (!entry.is_command && found.name.find(entry.name) != std::string::npos &&
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

int run_tool(const Invocation &invocation, std::span<char *const> words)
{
    Tool tool(invocation.name, words);
    auto result = start_recording();
    if (result)
        result = invocation.entry->main(tool);
    if (result)
        tool.end();
    tool.out().flush();
    if (result)
        result = end_recording();
    if (!result) {
        print_error(tool, result.error());
        return result.error().kind == Error::Kind::Usage ? 2 : 1;
    }
    // It is no failure if the output's reader has read enough and closed the pipe.
    if (!tool.out().ok() && tool.out().error() != EPIPE) {
        tool.warn("cannot write the output: {}", errno_text(tool.out().error()));
        return 1;
    }
    return 0;
}

}  // namespace uscope::run
