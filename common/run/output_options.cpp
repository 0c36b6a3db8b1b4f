// Declares the options of a tool's output, and decides about colours.
#include "run/output_options.h"

#include <cstdlib>

#include <unistd.h>

#include "base/format.h"
#include "base/named.h"
#include "output/heatmap.h"
#include "run/tool.h"

namespace uscope::run {

namespace {

constexpr Named<Colour> colours_by_name[] = {
    {"auto", Colour::Auto}, {"always", Colour::Always}, {"never", Colour::Never}};

}  // namespace

Result<> parse_value(std::string_view text, Colour &value)
{
    auto named = find_named(colours_by_name, text);
    if (!named)
        return fail_usage("\"{}\" is not {}", text, alternatives(names_of(colours_by_name)));
    value = *named;
    return {};
}

void OutputOptions::declare(Tool &tool, char letter)
{
    tool.option(letter, "output", file, "FILE",
                letter ? "write the results to FILE" : "write the results to FILE (no short name)");
    tool.flag('q', "quiet", quiet, "show results, errors and losses only: no headings, no notes");
    tool.option(0, "color", colour, "WHEN",
                alternatives(names_of(colours_by_name)) +
                    " (default auto: on a terminal, unless NO_COLOR is set)")
        .values = [] { return names_of(colours_by_name); };
}

bool OutputOptions::colours(int fd) const
{
    if (colour != Colour::Auto)
        return colour == Colour::Always;
    return output::takes_colours(isatty(fd), getenv("TERM"), getenv("NO_COLOR"));
}

}  // namespace uscope::run
