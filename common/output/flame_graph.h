// Draws counted stacks as a flame graph.
#pragma once

#include <string>
#include <vector>

#include "output/stack_count.h"

namespace uscope::output {

struct FlameGraph {
    std::string title;             // what was counted, where: "CPU time of shop (181)"
    std::string note = {};         // when and how: "host, 2026-11-28 15:16, 99 Hz for 30 s"
    std::string hint = {};         // advice, if the picture may mislead
    std::string unit = "samples";  // of the counts: see output/amount.h
    bool is_comparison = false;    // the stacks have counts from before
};

// Appends a self-contained SVG file. Each frame is a box on top of its caller's, as wide as its
// share of the counts; the colour shows its kind. Stacks that start with the same frames share
// their boxes. In a comparison, a box is as wide as the average of its shares before and now, so
// that frames that are gone have a box as well, and the colour shows the change.
//
// A browser fits the picture into its window. There a click zooms in, / and Ctrl-F search, and the
// line at the bottom shows the name and the count of the box at the pointer. Without scripts (in an
// <img>), it is still a picture.
//
// Boxes narrower than 0.1 of 1200 pixels are left out; the line below the title shows their number.
void append_flame_graph(std::string &out, const FlameGraph &graph,
                        const std::vector<StackCount> &stacks);

}  // namespace uscope::output
