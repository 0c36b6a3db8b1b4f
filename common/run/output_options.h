// The options of a tool's output: -o, --quiet, --color, --csv.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace uscope::run {

class Tool;

enum class Colour : uint8_t { Auto, Always, Never };
Result<> parse_value(std::string_view text, Colour &value);

struct OutputOptions {
    std::string file;  // "": standard output
    bool quiet = false;
    Colour colour = Colour::Auto;
    bool json = false, csv = false;  // given

    // `letter`: the short name of --output; 0 if the tool uses -o for something else.
    void declare(Tool &tool, char letter);
    // Should text that is written to `fd` have colours? By default it does on terminals, unless
    // NO_COLOR is set (no-color.org).
    bool colours(int fd) const;
};

}  // namespace uscope::run
