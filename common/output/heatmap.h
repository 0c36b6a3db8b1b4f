// Draws in the terminal how a distribution changes over time: a line for each interval, the newest
// at the bottom. A line has a cell for each range of values; the more values, the hotter its colour
// or the denser its character.
//
//     count    1 .:-=+*#%@ 1000
//              1us         10us        100us       1ms
//     17:05:59      .=%@*=:.                   ..
//     17:06:00      .=%@%+:.                .-=:.
//
// Both scales are logarithmic. The upper line of the scales shows which colours (or characters)
// mean how many values, the lower one where each decade starts. They are printed again if they
// change: when a cell has more values, or values are in other decades, than ever before.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "output/histogram.h"

namespace uscope::output {

enum class Colours { None, Palette256, True };

// Whether a terminal interprets escape sequences. `term`: $TERM, may be null; it is "dumb" in
// terminals that do not, such as an editor's.
bool understands_escapes(const char *term);

// Whether to colour text, according to TERM and NO_COLOR (no-color.org); null is an unset variable.
bool takes_colours(bool is_terminal, const char *term, const char *no_color);
// The colours that a terminal supports, according to TERM and COLORTERM.
Colours terminal_colours(const char *term, const char *colorterm);

class Heatmap {
  public:
    enum class Unit { None, Nsecs, Usecs, Msecs };  // the unit of the values

    // Lines have at most `width` columns, but always at least one per decade.
    Heatmap(size_t width, Unit unit, Colours colours);

    // Appends the line of one interval; before it the scales, if they have changed. `time` has at
    // most 8 columns. Values below zero are not shown; zeros are shown in the cell of 1.
    void add(std::string &out, std::string_view time, const Histogram &interval);

  private:
    bool grow_decades(const Histogram &interval);
    std::vector<uint64_t> cells(const Histogram &interval) const;
    void append_scales(std::string &out) const;

    size_t width_;
    Unit unit_;
    Colours colours_;
    uint32_t first_decade_ = 0, end_decade_ = 0;  // values 10^first … 10^end - 1
    size_t per_decade_ = 0;                       // columns per decade
    uint32_t hottest_ = 0;                        // no cell has had more than 10^hottest values
};

}  // namespace uscope::output
