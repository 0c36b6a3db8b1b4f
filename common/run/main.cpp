// The main() of all tools. It is not in the library, because test programs must not link it.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

#include <fcntl.h>
#include <unistd.h>

#include "base/format.h"
#include "output/escape.h"
#include "run/completion.h"
#include "run/settings.h"
#include "run/tool.h"
#include "run/tool_process.h"
#include "run/tools.h"

using namespace uscope;

// Replaces that of libstdc++, which contains a demangler for the name of an exception.
namespace __gnu_cxx {
void __verbose_terminate_handler();
void __verbose_terminate_handler()
{
    abort();
}
}  // namespace __gnu_cxx

namespace {

// Opens "/" for each standard descriptor that is closed. Otherwise, a file that the tool opens
// later would get this number, and output would be written into that file. The descriptors are
// opened with O_PATH, so that reading and writing them fails with EBADF, as it does with a closed
// descriptor.
void hold_standard_descriptors()
{
    for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(fd, F_GETFD) < 0)
            open("/", O_PATH | O_CLOEXEC);  // gets the lowest free number, which is `fd`
    }
}

// One line for each tool that has aliases.
std::string describe_aliases()
{
    std::map<std::string_view, std::string> of_tools;
    for (const run::Alias &alias : run::aliases) {
        std::string_view options = alias.options;
        size_t arguments = options.find(" PID");
        of_tools[alias.tool] += fmt::format(
            " {}{}", alias.name, arguments == options.npos ? "" : options.substr(arguments));
    }
    std::string text = "BCC's names for a tool with options:\n";
    for (const auto &[tool, names] : of_tools)
        text += fmt::format("  {:<15}{}\n", tool, names);
    return text;
}

int list_tools(const std::string &name)
{
    std::string text =
        fmt::format("uscope {} looks inside running programs.\nUsage: {} TOOL [OPTIONS]\n",
                    USCOPE_VERSION, name);
    std::string groups[std::size(run::question_titles)], commands;
    for (const run::ToolEntry &entry : run::tool_entries) {
        run::Tool tool{run::Tool::Described()};
        (void)entry.main(tool);
        std::string &group = entry.is_command ? commands : groups[size_t(tool.line().question)];
        group += fmt::format("  {:<15} {}\n", entry.name, tool.summary());
    }
    for (size_t i = 0; i < std::size(groups); i++)
        text += fmt::format("\n{}\n{}", run::question_titles[i], groups[i]);
    text += fmt::format("\nCommands, which have no link of their own:\n{}\n{}", commands,
                        describe_aliases());
    printf("%s\n%s TOOL --help lists a tool's options, with examples.\n", text.c_str(),
           name.c_str());
    return fflush(stdout) == 0 ? 0 : 1;
}

// Runs when the program is called as "uscope" without the name of a tool.
int run_itself(const run::Invocation &invocation, std::span<char *const> words)
{
    std::string_view word = words.empty() ? "--help" : words[0];
    if (word == "--help" || word == "-h")
        return list_tools(invocation.name);
    if (word == "--version" || word == "-V") {
        printf("uscope %s\n", USCOPE_VERSION);
        return 0;
    }
    if (word == "complete")  // for the scripts of `uscope completion`
        return run::print_candidates(words.subspan(1));
    fprintf(stderr, "%s: there is no tool \"%s\" (%s lists the tools)\n", invocation.name.c_str(),
            output::escaped(word).c_str(), invocation.name.c_str());
    return 2;
}

}  // namespace

int main(int argc, char **argv)
{
    hold_standard_descriptors();
    run::end_with_starter(argc ? argv[0] : "uscope");
    run::take_settings();

    std::span<char *const> words(argv, argc);
    run::Invocation invocation = run::find_tool(run::tool_entries, words, run::aliases);
    words = words.subspan(std::min<size_t>(invocation.words, words.size()));
    return invocation.entry ? run::run_tool(invocation, words) : run_itself(invocation, words);
}
