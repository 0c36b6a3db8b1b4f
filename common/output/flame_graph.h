// Prints counted stacks as folded lines and as flame graphs, and reads folded lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace uscope::output {

struct StackCount {
    std::vector<std::string> frames;  // raw names, the root (comm) first
    uint64_t count = 0;
    size_t kernel_frames = 0;  // how many frames, at the end of `frames`, are the kernel's
    uint64_t before = 0;       // with Palette::Change: the count in the earlier recording
};

// The colours show the kind of graph: running code is red and yellow, waiting blue and violet,
// memory green. Change: red has grown, blue has shrunk.
enum class Palette : uint8_t { Running, Waiting, Memory, Change };

// Appends "comm;root;…;leaf COUNT" and a newline, the format that stackcollapse scripts write and
// flamegraph.pl, speedscope and others read. In names, ';' becomes ':', and unsafe characters
// (newlines as well) are escaped as for terminals.
void append_folded(std::string &out, const StackCount &stack);

// Appends a self-contained SVG file. Each frame is a box on top of its caller's, as wide as its
// share of the counts. Stacks that start with the same frames share their boxes; kernel frames are
// blue, with Palette::Waiting violet. In a browser, a click zooms in, Ctrl-F searches, and pointing
// at a box shows its name and count. Without scripts (in an <img>), it is still a picture. `unit`
// is what is counted: "calls", "bytes".
//
// Boxes narrower than 0.1 pixels are left out; the line below the title shows their number.
void append_flame_graph(std::string &out, std::string_view title, std::string_view unit,
                        const std::vector<StackCount> &stacks, Palette palette = Palette::Running);

// Parses folded lines; names stay as they are written. A name that ends with "_[k]" is the
// kernel's. Errors: a line without a count.
Result<std::vector<StackCount>> parse_folded(std::string_view text);

}  // namespace uscope::output
