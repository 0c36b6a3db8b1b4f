// `uscope complete` and the scripts of `uscope completion`.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "output/escape.h"
#include "run/completion.h"
#include "run/shell_line.h"
#include "run/tool.h"

namespace uscope::run {
namespace {

constexpr size_t max_candidates = 1000;

// `uscope TOOL`, its commands and its options.
Completion complete_tool_name(std::string_view typed)
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
    for (const Alias &alias : aliases)
        add(alias.name, fmt::format("{} {}", alias.tool, alias.options));
    add("--help", "list the tools");
    add("--version", "show the version");
    return completion;
}

Completion complete_words(std::vector<std::string> words)
{
    if (words.size() < 2)
        return {};
    // The last word is not complete, so it names no tool yet.
    std::vector<char *> known;
    for (std::string &word : words)
        known.push_back(word.data());
    known.pop_back();
    Invocation asked = find_tool(tool_entries, known, aliases);
    if (!asked.entry && words.size() == 2)
        return complete_tool_name(words[1]);
    if (!asked.entry)
        return {};
    Tool tool{Tool::Described()};
    (void)asked.entry->main(tool);
    words.erase(words.begin(), words.begin() + asked.words);
    return complete_tool(tool.line(), asked.arguments(std::move(words)));
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

// Returns the names in this program's folder that start it: itself and its links.
std::set<std::string> installed_names(const std::string &program)
{
    std::set<std::string> names = {program};
    std::error_code error;
    auto own = std::filesystem::read_symlink("/proc/self/exe", error);
    for (const auto &entry : std::filesystem::directory_iterator(own.parent_path(), error))
        if (std::filesystem::equivalent(entry.path(), own, error))
            names.insert(entry.path().filename());
    return names;
}

}  // namespace

int print_candidates(std::span<char *const> words)
{
    bool is_bash = words.size() == 3 && strcmp(words[0], "--bash") == 0;
    if (is_bash) {
        ShellLine line = split_shell_line(words[1]);
        print_for_bash(complete_words(line.words), line, words[2]);
    } else if (!words.empty()) {
        print(complete_words({words.begin(), words.end()}), strlen(words.back()));
    }
    fflush(stdout);
    return 0;
}

std::string completion_script(const CompletionScript &script, const std::string &program)
{
    std::string text(script.text), names = join(installed_names(program), " ");
    constexpr std::string_view mark = "@NAMES@";
    for (size_t at; (at = text.find(mark)) != text.npos;)
        text.replace(at, mark.size(), names);
    return text;
}

}  // namespace uscope::run
