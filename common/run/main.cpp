// The one main of all tools. Not part of the library: a test binary must never link it.
#include <cstdio>

#include <fcntl.h>
#include <unistd.h>

#include "output/place.h"
#include "run/settings.h"
#include "run/tool.h"

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

}  // namespace

int main(int argc, char **argv)
{
    hold_standard_descriptors();
    run::take_settings();

    run::Tool tool(argc, argv);
    auto result = tool_main(tool);
    if (result)
        tool.end();
    tool.out().flush();
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
