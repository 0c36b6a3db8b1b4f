// Declares the options of a tool's output, and decides about colours.
#include "run/output_options.h"

#include <cstdlib>

#include <unistd.h>

#include "base/format.h"
#include "output/heatmap.h"
#include "run/tool.h"

namespace uscope::run {

Result<> parse_value(std::string_view text, Colour &value)
{
    if (text != "auto" && text != "always" && text != "never")
        return fail_usage("\"{}\" is not auto, always or never", text);
    value = text == "auto" ? Colour::Auto : text == "always" ? Colour::Always : Colour::Never;
    return {};
}

void OutputOptions::declare(Tool &tool, char letter)
{
    tool.option(letter, "output", file, "FILE",
                letter ? "write the results to FILE" : "write the results to FILE (no short name)");
    tool.flag('q', "quiet", quiet, "show results, errors and losses only: no headings, no notes");
    tool.option(0, "color", colour, "WHEN",
                "auto, always or never (default auto: on a terminal, unless NO_COLOR is set)");
}

bool OutputOptions::colours(int fd) const
{
    if (colour != Colour::Auto)
        return colour == Colour::Always;
    return output::takes_colours(isatty(fd), getenv("TERM"), getenv("NO_COLOR"));
}

}  // namespace uscope::run
