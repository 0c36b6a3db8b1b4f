#include "run/terminal.h"

#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

namespace uscope::run {
namespace {

// What is not known is 0.
winsize terminal_size()
{
    winsize size = {};
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    return size;
}

}  // namespace

std::optional<unsigned> terminal_rows()
{
    unsigned rows = terminal_size().ws_row;
    return rows ? std::optional(rows) : std::nullopt;
}

output::Heatmap terminal_heatmap(const Tool &tool, output::Heatmap::Unit unit)
{
    constexpr size_t usual = 80;
    size_t columns = terminal_size().ws_col;
    return {columns ? columns : usual, unit,
            output::terminal_colours(tool.interactive(), getenv("TERM"), getenv("COLORTERM"),
                                     getenv("NO_COLOR"))};
}

}  // namespace uscope::run
