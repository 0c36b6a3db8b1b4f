// The main() of all tools. It is not in the library, because test programs must not link it.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <unistd.h>

#include "base/format.h"
#include "output/escape.h"
#include "run/help.h"
#include "run/settings.h"
#include "run/tool.h"
#include "run/tools.h"

using namespace uscope;

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

int list_tools(const std::string &name)
{
    constexpr size_t summary_at = 18;
    std::string tools, commands;
    for (const run::ToolEntry &entry : run::tool_entries) {
        run::Tool tool{run::Tool::Described()};
        (void)entry.main(tool);
        std::string &text = entry.is_command ? commands : tools;
        text += fmt::format("  {:<15} ", entry.name);
        run::append_wrapped(text, tool.summary(), summary_at,
                            run::help_width(tool.out().columns(), getenv("COLUMNS")));
    }
    std::string text = fmt::format(
        "uscope {} looks inside running programs.\nUsage: {} TOOL [OPTIONS]\n\nTools:\n{}",
        USCOPE_VERSION, name, tools);
    if (!commands.empty())
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
