// How a distribution changes, as a picture in the terminal: a line for each interval, the newest at
// the bottom, and on it a cell for each range of values, the darker the more values.
//
//     count    1 .:-=+*#%@ 1000
//              1us         10us        100us       1ms
//     17:05:59      .=%@*=:.                   ..
//     17:06:00      .=%@%+:.                .-=:.
//
// Both scales are logarithmic. The upper line says what the cells' colours (or characters) mean,
// the lower where each decade begins; both are printed again when they change, which is when there
// are more values in a cell, or values in other decades, than ever before.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "output/histogram.h"

namespace uscope::output {

enum class Colours { None, Palette256, True };

// By the value of TERM, which may be null: a terminal that is none, such as an editor's, is "dumb".
bool understands_escapes(const char *term);

// What a terminal shows by its environment: TERM, COLORTERM, and NO_COLOR (no-color.org); null is
// an unset variable.
Colours terminal_colours(bool is_terminal, const char *term, const char *colorterm,
                         const char *no_color);

class Heatmap {
  public:
    enum class Unit { None, Nsecs, Usecs, Msecs };  // of the values

    // Lines have at most `width` columns, but never fewer than one for a decade.
    Heatmap(size_t width, Unit unit, Colours colours);

    // Appends the line of one interval, after the scales if they have changed. `time` has at most 8
    // columns. Values below zero are not shown, zeros with the ones.
    void add(std::string &out, std::string_view time, const Histogram &interval);

  private:
    bool grow_decades(const Histogram &interval);
    std::vector<uint64_t> cells(const Histogram &interval) const;
    void append_scales(std::string &out) const;

    size_t width_;
    Unit unit_;
    Colours colours_;
    uint32_t first_decade_ = 0, end_decade_ = 0;  // values 10^first … 10^end - 1
    size_t per_decade_ = 0;                       // columns
    uint32_t hottest_ = 0;                        // no cell has had more than 10^hottest values
};

}  // namespace uscope::output
