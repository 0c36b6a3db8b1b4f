// The one main of all tools. Not part of the library: a test binary must never link it.
#include <csignal>
#include <cstdio>

#include <fcntl.h>
#include <unistd.h>

#include "output/escape.h"
#include "run/tool.h"

using namespace uscope;

namespace {

// A mapped file was cut shorter while it was being read.
void on_sigbus(int)
{
    static const char text[] = "a file that was being read has been truncated; try again\n";
    [[maybe_unused]] ssize_t written = write(STDERR_FILENO, text, sizeof(text) - 1);
    _exit(1);
}

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
    std::string text = fmt::format("{}: {}\n", tool.name(), output::escaped(error.text));
    if (!error.source.empty()) {
        // A line of the user's text with a caret under the place; the text may be long or hold odd
        // bytes.
        size_t column = std::min(error.column, error.source.size());
        std::string before = output::escaped(std::string_view(error.source).substr(0, column));
        std::string after = output::escaped(std::string_view(error.source).substr(column));
        text += fmt::format("  {}{}\n  {:>{}}\n", before, after, "^", before.size() + 1);
    }
    fputs(text.c_str(), stderr);
}

}  // namespace

int main(int argc, char **argv)
{
    hold_standard_descriptors();
    signal(SIGPIPE, SIG_IGN);  // a closed pipe is seen by write()
    signal(SIGBUS, on_sigbus);

    run::Tool tool(argc, argv);
    auto result = tool_main(tool);
    tool.out().flush();
    if (!result) {
        print(tool, result.error());
        return result.error().kind == Error::Kind::Usage ? 2 : 1;
    }
    // A reader that has seen enough and went away is no failure.
    if (!tool.out().ok() && tool.out().error() != EPIPE) {
        fprintf(stderr, "%s: cannot write the output: %s\n", tool.name().c_str(),
                strerror(tool.out().error()));
        return 1;
    }
    return 0;
}
