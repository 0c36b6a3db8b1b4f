#include "run/terminal.h"

#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

namespace uscope::run {

TerminalSize terminal_size()
{
    winsize size = {};
    TerminalSize terminal;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
        terminal = {size.ws_col, size.ws_row};
    return terminal;
}

output::Heatmap terminal_heatmap(const Tool &tool, output::Heatmap::Unit unit)
{
    return {terminal_size().columns, unit,
            output::terminal_colours(tool.interactive(), getenv("TERM"), getenv("COLORTERM"),
                                     getenv("NO_COLOR"))};
}

}  // namespace uscope::run
