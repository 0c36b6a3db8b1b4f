// Chooses the scales of a heat map, and draws its cells with characters or colours.
#include "output/heatmap.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/format.h"
#include "output/escape.h"

namespace uscope::output {

namespace {

constexpr size_t time_columns = 9;     // the time and a blank
constexpr size_t max_per_decade = 20;  // columns; beyond 38 a slot would be wider than a cell
constexpr double none = -1;            // the heat of a cell without values; others: 0 … 1

// From cold to hot. The colours go from purple through red to yellow, so that their brightness
// differs as well.
constexpr std::string_view characters = ".:-=+*#%@";
constexpr uint8_t palette[] = {53, 89, 125, 161, 202, 208, 214, 220, 228};
static_assert(std::size(palette) == characters.size());
constexpr uint8_t true_colours[][3] = {{50, 10, 80},   {120, 28, 109}, {190, 55, 82},
                                       {240, 110, 35}, {250, 175, 30}, {252, 250, 160}};

size_t level(double heat)
{
    return std::min<size_t>(heat * characters.size(), characters.size() - 1);
}

// The escape sequence for a cell's background.
std::string background(Colours colours, double heat)
{
    if (heat == none)
        return "\033[0m";
    if (colours == Colours::Palette256)
        return fmt::format("\033[48;5;{}m", palette[level(heat)]);
    double at = heat * (std::size(true_colours) - 1);
    size_t from = std::min<size_t>(at, std::size(true_colours) - 2);
    auto mix = [&](size_t i) {
        double low = true_colours[from][i], high = true_colours[from + 1][i];
        return static_cast<int>(std::lround(low + (high - low) * (at - from)));
    };
    return fmt::format("\033[48;2;{};{};{}m", mix(0), mix(1), mix(2));
}

void append_cells(std::string &out, Colours colours, const std::vector<double> &heats)
{
    if (colours == Colours::None) {
        for (double heat : heats)
            out.push_back(heat == none ? ' ' : characters[level(heat)]);
        return;
    }
    const std::string reset = background(colours, none);
    std::string current = reset;
    for (double heat : heats) {
        std::string wanted = background(colours, heat);
        if (wanted != current)
            append(out, wanted);
        current = wanted;
        out.push_back(' ');
    }
    if (current != reset)
        append(out, reset);
}

uint32_t decade_of(uint64_t value)
{
    uint32_t decade = 0;
    for (; value >= 10; value /= 10)
        decade++;
    return decade;
}

// 10^decade as text: "100us", "10k".
std::string decade_text(Heatmap::Unit unit, uint32_t decade)
{
    constexpr std::string_view times[] = {"ns", "us", "ms", "s"};
    constexpr std::string_view numbers[] = {"", "k", "M", "G", "T", "P", "E"};
    bool is_time = unit != Heatmap::Unit::None;
    if (unit == Heatmap::Unit::Usecs)
        decade += 3;
    if (unit == Heatmap::Unit::Msecs)
        decade += 6;
    size_t step =
        std::min<size_t>(decade / 3, (is_time ? std::size(times) : std::size(numbers)) - 1);
    return "1" + std::string(decade - 3 * step, '0') +
           std::string(is_time ? times[step] : numbers[step]);
}

// The value at which a slot's values are drawn: the slot's middle, unless all values are less.
uint64_t drawn_value(const Histogram &histogram, uint32_t slot)
{
    Range range = slot_range(slot);
    return std::min<uint64_t>(range.low + (range.high - range.low) / 2,
                              histogram.slots()[slot].max);
}

}  // namespace

bool understands_escapes(const char *term)
{
    return !term || std::string_view(term) != "dumb";
}

bool takes_colours(bool is_terminal, const char *term, const char *no_color)
{
    return is_terminal && understands_escapes(term) && !(no_color && *no_color);
}

Colours terminal_colours(const char *term, const char *colorterm)
{
    std::string_view depth = colorterm ? colorterm : "";
    if (depth == "truecolor" || depth == "24bit")
        return Colours::True;
    bool has_palette = term && std::string_view(term).find("256color") != std::string_view::npos;
    return has_palette ? Colours::Palette256 : Colours::None;
}

Heatmap::Heatmap(size_t width, Unit unit, Colours colours)
    : width_(width), unit_(unit), colours_(colours)
{
}

bool Heatmap::grow_decades(const Histogram &interval)
{
    uint32_t first = first_decade_, end = end_decade_;
    for (uint32_t slot = 0; slot < interval.slots().size(); slot++) {
        if (interval.slots()[slot].count == 0)
            continue;
        uint32_t decade = decade_of(drawn_value(interval, slot));
        first = end == 0 ? decade : std::min(first, decade);
        end = std::max(end, decade + 1);
    }
    if (first == first_decade_ && end == end_decade_)
        return false;
    first_decade_ = first;
    end_decade_ = end;
    size_t columns = width_ > time_columns ? width_ - time_columns : 0;
    per_decade_ = std::clamp<size_t>(columns / (end - first), 1, max_per_decade);
    return true;
}

// The number of values of each cell, up to the last cell that has any.
std::vector<uint64_t> Heatmap::cells(const Histogram &interval) const
{
    std::vector<uint64_t> counts;
    for (uint32_t slot = 0; slot < interval.slots().size(); slot++) {
        uint64_t count = interval.slots()[slot].count;
        if (count == 0)
            continue;
        uint64_t value = std::max<uint64_t>(drawn_value(interval, slot), 1);
        size_t column = (std::log10(value) - first_decade_) * per_decade_;
        if (column >= counts.size())
            counts.resize(column + 1);
        counts[column] += count;
    }
    return counts;
}

void Heatmap::append_scales(std::string &out) const
{
    std::vector<double> ramp;
    for (size_t i = 0; i < characters.size(); i++)
        ramp.push_back((i + 0.5) / characters.size());
    append(out, "count    1 ");
    append_cells(out, colours_, ramp);
    append(out, fmt::format(" {}\n", decade_text(Unit::None, hottest_)));

    std::string line;
    for (uint32_t decade = first_decade_; decade < end_decade_; decade++) {
        size_t column = time_columns + (decade - first_decade_) * per_decade_;
        std::string label = decade_text(unit_, decade);
        bool touches_another = line.size() >= column && !line.empty();
        if (touches_another || column + label.size() > width_)
            continue;
        line.resize(column, ' ');
        line += label;
    }
    append(out, line);
    out.push_back('\n');
}

void Heatmap::add(std::string &out, std::string_view time, const Histogram &interval)
{
    bool changed = grow_decades(interval);
    std::vector<uint64_t> counts = cells(interval);
    for (uint64_t count : counts) {
        uint32_t needed = count <= 10 ? 1 : decade_of(count - 1) + 1;
        changed |= count && needed > hottest_;
        hottest_ = count ? std::max(hottest_, needed) : hottest_;
    }
    if (changed)
        append_scales(out);

    std::vector<double> heats;
    for (uint64_t count : counts)
        heats.push_back(count ? std::log10(count) / hottest_ : none);
    size_t start = out.size();
    append(out, time);
    if (!heats.empty())
        pad(out, start, time_columns, true);
    append_cells(out, colours_, heats);
    out.push_back('\n');
}

}  // namespace uscope::output
