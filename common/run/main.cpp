// The one main of all tools. Not part of the library: a test binary must never link it.
#include <algorithm>
#include <cstdio>

#include <fcntl.h>
#include <unistd.h>

#include "base/format.h"
#include "base/recording.h"
#include "output/escape.h"
#include "output/place.h"
#include "run/settings.h"
#include "run/tool.h"
#include "run/tools.h"

using namespace uscope;

namespace {

// Nothing that we open may take the place of a standard descriptor that is closed: what is meant
// for it would go there. A path descriptor can be neither read nor written: EBADF, as it should be.
void hold_standard_descriptors()
{
    for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(fd, F_GETFD) < 0)
            open("/", O_PATH | O_CLOEXEC);  // the lowest free one: this
    }
}

void print(const run::Tool &tool, const Error &error)
{
    std::string text = fmt::format("{}: {}\n", tool.name(), output::shortened(error.text));
    if (!error.source.empty())
        text += output::show_place(error.source, error.column);
    fputs(text.c_str(), stderr);
}

int run_tool(const run::Invocation &asked, std::span<char *const> words)
{
    run::Tool tool(asked.name, words);
    auto result = start_recording();
    if (result)
        result = asked.entry->main(tool);
    if (result)
        tool.end();
    tool.out().flush();
    if (result)
        result = end_recording();
    if (!result) {
        print(tool, result.error());
        return result.error().kind == Error::Kind::Usage ? 2 : 1;
    }
    // A reader that has seen enough and went away is no failure.
    if (!tool.out().ok() && tool.out().error() != EPIPE) {
        fprintf(stderr, "%s: cannot write the output: %s\n", tool.name().c_str(),
                errno_text(tool.out().error()).c_str());
        return 1;
    }
    return 0;
}

int list_tools(const std::string &name)
{
    printf("uscope %s looks inside running programs.\nUsage: %s TOOL [OPTIONS]\n\nTools:\n",
           USCOPE_VERSION, name.c_str());
    for (const run::ToolEntry &entry : run::tool_entries) {
        run::Tool tool{run::Tool::Described()};
        (void)entry.main(tool);
        printf("  %-15.*s %s\n", int(entry.name.size()), entry.name.data(), tool.summary().c_str());
    }
    printf("\n%s TOOL --help lists a tool's options, with examples.\n", name.c_str());
    return fflush(stdout) == 0 ? 0 : 1;
}

// The program was called by its own name, and no tool's name stands behind it.
int run_itself(const run::Invocation &asked, std::span<char *const> words)
{
    std::string_view word = words.empty() ? "--help" : words[0];
    if (word == "--help" || word == "-h")
        return list_tools(asked.name);
    if (word == "--version" || word == "-V") {
        printf("uscope %s\n", USCOPE_VERSION);
        return 0;
    }
    fprintf(stderr, "%s: there is no tool \"%s\" (%s lists the tools)\n", asked.name.c_str(),
            output::escaped(word).c_str(), asked.name.c_str());
    return 2;
}

}  // namespace

int main(int argc, char **argv)
{
    hold_standard_descriptors();
    run::take_settings();

    std::span<char *const> words(argv, argc);
    run::Invocation asked = run::find_tool(run::tool_entries, words);
    words = words.subspan(std::min<size_t>(asked.words, words.size()));
    return asked.entry ? run_tool(asked, words) : run_itself(asked, words);
}
