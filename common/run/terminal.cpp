#include "run/terminal.h"

#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

namespace uscope::run {

output::Heatmap terminal_heatmap(const Tool &tool, output::Heatmap::Unit unit)
{
    winsize size = {};
    constexpr size_t usual = 80;
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col;
    return {known ? size.ws_col : usual, unit,
            output::terminal_colours(tool.interactive(), getenv("TERM"), getenv("COLORTERM"),
                                     getenv("NO_COLOR"))};
}

}  // namespace uscope::run
