// The commands `uscope complete` and `uscope completion`.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>

#include <unistd.h>

#include "base/format.h"
#include "base/text.h"
#include "output/escape.h"
#include "run/completion.h"
#include "run/shell_line.h"
#include "run/tool.h"

namespace uscope::run {
namespace {

constexpr size_t max_candidates = 1000;

// Returns the tool for which the program is an alias: ucalls for xjavacalls; null if for none.
const ToolEntry *find_alias(std::string_view program)
{
    const Alias *best = nullptr;
    for (const Alias &alias : aliases)
        if (program.find(alias.name) != program.npos &&
            (!best || alias.name.size() > best->name.size()))
            best = &alias;
    for (const ToolEntry &entry : tool_entries)
        if (best && entry.name == best->tool)
            return &entry;
    return nullptr;
}

// `uscope TOOL`, and its own commands and options.
Completion complete_tool_name(std::span<const OwnCommand> commands, std::string_view typed)
{
    Completion completion;
    auto add = [&](std::string_view name, std::string_view summary) {
        if (name.starts_with(typed) && !summary.empty() && (!typed.empty() || name[0] != '-'))
            completion.candidates.push_back({std::string(name), std::string(summary)});
    };
    for (const ToolEntry &entry : tool_entries) {
        Tool tool{Tool::Described()};
        (void)entry.main(tool);
        add(entry.name, tool.summary());
    }
    for (const OwnCommand &command : commands)
        add(command.name, command.summary);
    add("--help", "list the tools");
    add("--version", "show the version");
    return completion;
}

Completion complete_words(std::span<const OwnCommand> commands, std::vector<std::string> words)
{
    if (words.size() < 2)
        return {};
    // The last word is not complete, so it names no tool yet.
    std::vector<char *> known;
    for (std::string &word : words)
        known.push_back(word.data());
    known.pop_back();
    Invocation asked = find_tool(tool_entries, known);
    std::string_view program = std::string_view(words[0]).substr(words[0].rfind('/') + 1);
    if (const ToolEntry *tool = find_alias(program)) {
        asked.entry = tool;
        asked.words = 1;
    }
    if (!asked.entry && words.size() == 2)
        return complete_tool_name(commands, words[1]);
    if (!asked.entry && words.size() == 3 && words[1] == "completion") {
        Completion shells;
        for (const CompletionScript &script : completion_scripts)
            if (script.shell.starts_with(words[2]))
                shells.candidates.push_back({std::string(script.shell)});
        return shells;
    }
    if (!asked.entry)
        return {};
    Tool tool{Tool::Described()};
    (void)asked.entry->main(tool);
    words.erase(words.begin(), words.begin() + asked.words);
    return complete_tool(tool.line(), words);
}

// A shell reads lines and tabs.
bool is_printable(const std::string &text)
{
    return std::none_of(text.begin(), text.end(),
                        [](unsigned char c) { return c < ' ' || c == 0x7f; });
}

void print(Completion completion, size_t typed)
{
    for (auto &[text, description, is_whole] :
         shorten(std::move(completion.candidates), typed, max_candidates)) {
        std::replace(description.begin(), description.end(), '\n', ' ');
        if (is_printable(text))
            printf("%s%s\t%s\n", text.c_str(), is_whole ? " " : "",
                   output::escaped(description).c_str());
    }
    if (completion.has_files)
        puts("\t");
}

// `part`: the end of the line that bash replaces.
void print_for_bash(Completion completion, const ShellLine &line, std::string_view part)
{
    const std::string &typed = line.words.back();
    std::string replaced = split_shell_line(part).words.back();
    size_t kept = typed.ends_with(replaced) ? typed.size() - replaced.size() : 0;
    for (const auto &[text, description, is_whole] :
         shorten(std::move(completion.candidates), typed.size(), max_candidates)) {
        // readline closes a quote itself.
        const char *end = is_whole && !line.open_quote ? " " : "";
        if (is_printable(text) && text.size() >= kept)
            printf("%s%s\n", shell_quoted(text.substr(kept), line.open_quote).c_str(), end);
    }
    if (completion.has_files)
        puts("");
}

// Returns the names in this program's folder that start it: itself, its links and the aliases,
// which have the links' prefix and suffix.
std::set<std::string> installed_names(const std::string &program)
{
    std::set<std::string> names = {program};
    std::error_code error;
    auto own = std::filesystem::read_symlink("/proc/self/exe", error);
    for (const auto &entry : std::filesystem::directory_iterator(own.parent_path(), error)) {
        std::string name = entry.path().filename();
        if (!std::filesystem::equivalent(entry.path(), own, error))
            continue;
        names.insert(name);
        std::vector<char *> words = {name.data()};
        const ToolEntry *tool = find_tool(tool_entries, words).entry;
        if (!tool)
            continue;
        size_t at = name.find(tool->name);
        std::string suffix = name.substr(at + tool->name.size());
        for (const Alias &alias : aliases) {
            std::string other = fmt::format("{}{}{}", name.substr(0, at), alias.name, suffix);
            if (access((own.parent_path() / other).c_str(), X_OK) == 0)
                names.insert(other);
        }
    }
    return names;
}

}  // namespace

int print_candidates(std::span<const OwnCommand> commands, std::span<char *const> words)
{
    bool is_bash = words.size() == 3 && strcmp(words[0], "--bash") == 0;
    if (is_bash) {
        ShellLine line = split_shell_line(words[1]);
        print_for_bash(complete_words(commands, line.words), line, words[2]);
    } else if (!words.empty()) {
        print(complete_words(commands, {words.begin(), words.end()}), strlen(words.back()));
    }
    fflush(stdout);
    return 0;
}

int print_completion_script(const std::string &program, std::span<char *const> words)
{
    std::vector<std::string> shells;
    for (const CompletionScript &script : completion_scripts) {
        shells.emplace_back(script.shell);
        if (words.size() != 1 || script.shell != words[0])
            continue;
        std::string text(script.text), names = join(installed_names(program), " ");
        constexpr std::string_view mark = "@NAMES@";
        for (size_t at; (at = text.find(mark)) != text.npos;)
            text.replace(at, mark.size(), names);
        fputs(text.c_str(), stdout);
        return fflush(stdout) == 0 ? 0 : 1;
    }
    fprintf(stderr, "%s: the script of which shell? %s completion %s\n", program.c_str(),
            program.c_str(), join(shells, "|").c_str());
    return 2;
}

}  // namespace uscope::run
