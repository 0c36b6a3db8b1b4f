// Reads the terminal's size from the kernel, and writes escape sequences.
#include "run/terminal.h"

#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

#include "output/escape.h"

namespace uscope::run {

std::optional<unsigned> terminal_rows()
{
    winsize size = {};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0)
        return std::nullopt;
    return size.ws_row;
}

bool redraws(const Tool &tool)
{
    return tool.interactive() && output::understands_escapes(getenv("TERM"));
}

void begin_screen(std::string &out)
{
    output::append(out, "\x1b[H\x1b[J\x1b[?7l");
}

void end_screen(std::string &out)
{
    output::append(out, "\x1b[?7h");
}

output::Heatmap terminal_heatmap(const Tool &tool, output::Heatmap::Unit unit)
{
    constexpr size_t usual = 80;
    size_t columns = tool.out().columns();
    auto colours = output::Colours::None;
    if (tool.out().style().colours)
        colours = output::terminal_colours(getenv("TERM"), getenv("COLORTERM"));
    return {columns ? columns : usual, unit, colours};
}

}  // namespace uscope::run
