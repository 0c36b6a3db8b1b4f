// The main() of all tools. It is not in the library, because test programs must not link it.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <unistd.h>

#include "base/format.h"
#include "output/escape.h"
#include "run/completion.h"
#include "run/settings.h"
#include "run/tool.h"
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

int complete(const std::string &program, std::span<char *const> words);

// The commands that are no tools. Those without a summary are for scripts.
constexpr run::OwnCommand own_commands[] = {
    {"complete", "", complete},
    {"completion", "prints the script for completion in bash, zsh or fish",
     run::print_completion_script},
};

int complete(const std::string &, std::span<char *const> words)
{
    return run::print_candidates(own_commands, words);
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
    for (const run::OwnCommand &command : own_commands)
        if (!std::string_view(command.summary).empty())
            commands += fmt::format("  {:<15} {}\n", command.name, command.summary);
    for (size_t i = 0; i < std::size(groups); i++)
        text += fmt::format("\n{}\n{}", run::question_titles[i], groups[i]);
    text += fmt::format("\nCommands, which have no link of their own:\n{}", commands);
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
    for (const run::OwnCommand &command : own_commands)
        if (word == command.name)
            return command.main(invocation.name, words.subspan(1));
    fprintf(stderr, "%s: there is no tool \"%s\" (%s lists the tools)\n", invocation.name.c_str(),
            output::escaped(word).c_str(), invocation.name.c_str());
    return 2;
}

}  // namespace

int main(int argc, char **argv)
{
    hold_standard_descriptors();
    run::take_settings();

    std::span<char *const> words(argv, argc);
    run::Invocation invocation = run::find_tool(run::tool_entries, words);
    words = words.subspan(std::min<size_t>(invocation.words, words.size()));
    return invocation.entry ? run::run_tool(invocation, words) : run_itself(invocation, words);
}
