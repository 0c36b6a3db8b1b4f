// Counted stacks for people: as folded lines, and as a flame graph.
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
    size_t kernel_frames = 0;  // the last so many of `frames` are the kernel's
    uint64_t before = 0;       // with Palette::Change: the count in the earlier recording
};

// The colours tell what is shown, as the boxes look alike: what runs is red and yellow, what waits
// blue and violet, memory green. Change: red has grown, blue has shrunk.
enum class Palette : uint8_t { Running, Waiting, Memory, Change };

// "comm;root;…;leaf COUNT" and a newline, as stackcollapse scripts write it and flamegraph.pl,
// speedscope and others read it. In names ';' becomes ':', and what is unsafe is escaped as for
// terminals, newlines among it.
void append_folded(std::string &out, const StackCount &stack);

// A picture as one self-contained SVG file: a box for each frame, as wide as its share of the
// counts, upon its caller's. Frames that begin stacks alike are one box; the kernel's are blue. In
// a browser a click zooms in, Ctrl-F searches, pointing at a box tells its name and count; where no
// script runs (an <img>) it is still a picture. `unit` is what is counted: "calls", "bytes".
//
// Boxes narrower than 0.1 pixel are left out, and the line below the title says how many.
void append_flame_graph(std::string &out, std::string_view title, std::string_view unit,
                        const std::vector<StackCount> &stacks, Palette palette = Palette::Running);

// Folded lines, as they were written. In names, "_[k]" at the end marks the kernel's. Errors: which line is
// none.
Result<std::vector<StackCount>> parse_folded(std::string_view text);

}  // namespace uscope::output
