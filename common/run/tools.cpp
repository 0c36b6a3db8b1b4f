// Finds the tool that a command line names, and runs it.
#include "run/tools.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <iterator>

#include "base/format.h"
#include "base/recording.h"
#include "base/text.h"
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

const ToolEntry *find_entry(std::span<const ToolEntry> entries, std::string_view name)
{
    auto found = std::find_if(entries.begin(), entries.end(),
                              [&](const ToolEntry &entry) { return entry.name == name; });
    return found == entries.end() ? nullptr : &*found;
}

}  // namespace

bool Alias::takes_pid() const
{
    return options.ends_with(pid_and_ms);
}

std::string Invocation::command() const
{
    std::string_view own = alias->options;
    if (alias->takes_pid())
        own.remove_suffix(Alias::pid_and_ms.size());
    return fmt::format("{} {}", name, own);
}

bool Invocation::lacks_pid(const std::vector<std::string> &typed) const
{
    if (!alias || !alias->takes_pid())
        return false;
    constexpr std::string_view others[] = {"-p", "--pid", "-h", "--help", "-V", "--version"};
    return std::none_of(typed.begin(), typed.end(), [&](std::string_view word) {
        return (!word.empty() && isdigit(uint8_t(word[0]))) ||
               std::any_of(std::begin(others), std::end(others),
                           [&](std::string_view other) { return word.starts_with(other); });
    });
}

std::vector<std::string> Invocation::arguments(std::vector<std::string> typed) const
{
    if (!alias)
        return typed;
    std::string_view options = alias->options;
    if (alias->takes_pid()) {
        options.remove_suffix(Alias::pid_and_ms.size());
        // An empty word is one that is being completed.
        if (!typed.empty() && (typed[0].empty() || isdigit(uint8_t(typed[0][0])))) {
            if (typed.size() > 1 && !typed[1].starts_with('-'))
                typed.insert(typed.begin() + 1, "-m");
            typed.insert(typed.begin(), "-p");
        }
    }
    std::vector<std::string> all;
    for (std::string_view word : split(options, ' '))
        all.emplace_back(word);
    all.insert(all.end(), std::make_move_iterator(typed.begin()),
               std::make_move_iterator(typed.end()));
    return all;
}

Invocation find_tool(std::span<const ToolEntry> entries, std::span<char *const> words,
                     std::span<const Alias> aliases)
{
    std::string_view path = words.empty() ? "uscope" : words[0];
    Invocation found = {.name = std::string(path.substr(path.rfind('/') + 1))};
    if (entries.size() == 1) {
        found.entry = &entries[0];
        return found;
    }
    size_t length = 0;  // of the name that was found
    for (const ToolEntry &entry : entries)
        if (!entry.is_command && entry.name.size() > length &&
            found.name.find(entry.name) != std::string::npos) {
            found.entry = &entry;
            length = entry.name.size();
        }
    for (const Alias &alias : aliases)
        if (const ToolEntry *entry = find_entry(entries, alias.tool);
            entry && alias.name.size() > length &&
            found.name.find(alias.name) != std::string::npos) {
            found.entry = entry;
            found.alias = &alias;
            length = alias.name.size();
        }
    if (found.alias)
        found.alias_name = found.name;
    if (found.alias)
        found.name.replace(found.name.find(found.alias->name), length, found.alias->tool);
    if (found.entry || words.size() < 2)
        return found;
    std::string_view word = words[1];
    auto alias = std::find_if(aliases.begin(), aliases.end(),
                              [&](const Alias &each) { return each.name == word; });
    if (alias != aliases.end())
        word = alias->tool;
    const ToolEntry *entry = find_entry(entries, word);
    if (!entry)
        return found;
    bool is_alias = alias != aliases.end();
    return {entry, fmt::format("{} {}", found.name, word), 2, is_alias ? &*alias : nullptr,
            is_alias ? fmt::format("{} {}", found.name, alias->name) : ""};
}

int run_tool(const Invocation &invocation, std::span<char *const> words)
{
    std::vector<std::string> typed(words.begin(), words.end());
    if (invocation.lacks_pid(typed)) {
        fputs(fmt::format("{0}: give the PID of a server: {0} PID [MS] ({1} watches all)\n",
                          invocation.alias_name, invocation.command())
                  .c_str(),
              stderr);
        return 2;
    }
    std::vector<std::string> arguments = invocation.arguments(typed);
    std::vector<char *> pointers;
    for (std::string &argument : arguments)
        pointers.push_back(argument.data());
    Tool tool(invocation.name, pointers);
    if (const Alias *alias = invocation.alias)
        tool.set_alias({invocation.alias_name, alias->takes_pid() ? "PID [MS]" : "",
                        invocation.command() + (alias->takes_pid() ? " -p PID -m MS" : "")});
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
