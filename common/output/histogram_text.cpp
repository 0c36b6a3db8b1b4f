// Makes rows from slots or buckets, and prints them.
#include "output/histogram_text.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <string>

#include "base/format.h"
#include "output/escape.h"

namespace uscope::output {

namespace {

using Wide = __int128;  // can hold all bounds of rows, signed and unsigned

struct Row {
    std::optional<Wide> low, high;  // nullopt: no bound
    uint64_t count;
};

struct Percentile {
    std::string_view name;
    uint32_t per_mille;
};
constexpr Percentile percentiles[] = {{"p50", 500}, {"p90", 900}, {"p99", 990}, {"p99.9", 999}};

std::string bound_text(const std::optional<Wide> &bound, const char *without)
{
    return bound ? fmt::format("{}", *bound) : without;
}

bool fits_ten_columns(const std::optional<Wide> &bound)
{
    return !bound || (*bound <= UINT32_MAX && *bound >= -999'999'999);
}

// For terminals narrower than BCC's tables: no column is wider than necessary.
void append_narrow_table(std::string &out, std::string_view label, const std::vector<Row> &rows,
                         uint64_t max, size_t columns)
{
    size_t lows = 0, highs = 0, counts = std::string_view("count").size();
    for (const Row &row : rows) {
        lows = std::max(lows, bound_text(row.low, "-inf").size());
        highs = std::max(highs, bound_text(row.high, "inf").size());
        counts = std::max(counts, std::to_string(row.count).size());
    }
    constexpr std::string_view arrow = " -> ", colon = " : ", bars = " ||";
    size_t taken = lows + arrow.size() + highs + colon.size() + counts + bars.size();
    size_t width = columns > taken ? columns - taken : 0;

    size_t start = out.size();
    append_escaped(out, label);
    pad(out, start, lows + arrow.size() + highs, true);
    append(out, " : count\n");
    for (const Row &row : rows) {
        auto stars = static_cast<size_t>(Wide(row.count) * width / max);
        append_format(out, "{:>{}} -> {:<{}} : {:<{}}", bound_text(row.low, "-inf"), lows,
                      bound_text(row.high, "inf"), highs, row.count, width ? counts : 0);
        if (width)
            append_format(out, " |{:*<{}}{: <{}}|", "", stars, "", width - stars);
        out.push_back('\n');
    }
}

void append_table(std::string &out, std::string_view label, const std::vector<Row> &rows,
                  size_t columns)
{
    constexpr size_t usual_columns = 78;
    uint64_t max = 0;
    bool narrow = true;
    for (const Row &row : rows) {
        max = std::max(max, row.count);
        narrow = narrow && fits_ten_columns(row.low) && fits_ten_columns(row.high);
    }
    if (max == 0)
        return;
    if (columns && columns < usual_columns)
        return append_narrow_table(out, label, rows, max, columns);
    append(out, narrow ? "     " : "               ");
    size_t start = out.size();
    append_escaped(out, label);
    pad(out, start, narrow ? 19 : 29, true);
    append(out, " : count     distribution\n");

    int digits = narrow ? 10 : 20;
    size_t width = narrow ? 40 : 20;
    for (const Row &row : rows) {
        auto stars = static_cast<size_t>(Wide(row.count) * width / max);
        append_format(out, "{:>{}} -> {:<{}} : {:<8} |{:*<{}}{: <{}}|\n",
                      bound_text(row.low, "-inf"), digits, bound_text(row.high, "inf"), digits,
                      row.count, "", stars, "", width - stars);
    }
}

// Appends the parts in one line, or in several if the terminal is narrower.
void append_parts(std::string &out, const std::vector<std::string> &parts,
                  std::string_view separator, size_t columns)
{
    size_t start = out.size();
    for (const std::string &part : parts) {
        size_t used = out.size() - start;
        if (used && columns && used + separator.size() + part.size() > columns) {
            out.push_back('\n');
            start = out.size();
        } else if (used) {
            append(out, separator);
        }
        append(out, part);
    }
    out.push_back('\n');
}

Range row_of(uint64_t value, uint32_t split)
{
    if (split == 0 && value <= 1)
        return {0, 1};
    if (value == 0)
        return {0, 0};
    uint64_t width = std::max<uint64_t>(std::bit_floor(value) >> split, 1);
    uint64_t low = value & ~(width - 1);
    return {low, low + (width - 1)};
}

// The rows from that of the value `first` on, after a row for values below zero.
std::vector<Row> log_rows(const Histogram &histogram, uint32_t split, uint64_t first)
{
    std::vector<Row> rows;
    if (histogram.negative())
        rows.push_back({std::nullopt, -1, histogram.negative()});
    if (histogram.count() == 0)
        return rows;
    uint64_t last = histogram.max();
    Range range = row_of(first, split);
    rows.push_back({range.low, range.high, 0});
    while (range.high < last) {
        range = row_of(range.high + 1, split);
        rows.push_back({range.low, range.high, 0});
    }
    auto row = rows.begin() + (histogram.negative() ? 1 : 0);
    for (uint32_t slot = 0; slot < histogram.slots().size(); slot++) {
        if (uint64_t count = histogram.slots()[slot].count) {
            while (*row->high < slot_range(slot).low)
                ++row;
            row->count += count;
        }
    }
    return rows;
}

std::vector<Row> linear_rows(const LinearScale &scale, const std::vector<uint64_t> &counts)
{
    std::vector<Row> rows = {{std::nullopt, Wide(scale.min) - 1, counts.front()}};
    Wide low = scale.min;
    for (size_t i = 1; i + 1 < counts.size(); i++) {
        Wide next = std::min<Wide>(low + scale.step, scale.max);
        rows.push_back({low, next - 1, counts[i]});
        low = next;
    }
    rows.push_back({scale.max, std::nullopt, counts.back()});
    return rows;
}

void append_json_bucket(std::string &out, const Row &row)
{
    if (out[out.size() - 1] != '[')
        out.push_back(',');
    append_format(out, R"({{"low":{},"high":{},"count":{}}})", bound_text(row.low, "null"),
                  bound_text(row.high, "null"), row.count);
}

}  // namespace

void append_log2(std::string &out, std::string_view label, const Histogram &histogram,
                 size_t columns)
{
    append_table(out, label, log_rows(histogram, 0, 0), columns);
}

void append_log_linear(std::string &out, std::string_view label, const Histogram &histogram,
                       uint32_t split, size_t columns)
{
    append_table(out, label, log_rows(histogram, split, histogram.min()), columns);
}

uint32_t readable_split(const Histogram &histogram, size_t rows)
{
    uint32_t split = HISTOGRAM_BITS;
    while (split > 0 && log_rows(histogram, split, histogram.min()).size() > rows)
        split--;
    return split;
}

size_t LinearScale::buckets() const
{
    uint64_t width = static_cast<uint64_t>(max) - static_cast<uint64_t>(min);
    return 2 + width / step + (width % step != 0);
}

void append_linear(std::string &out, std::string_view label, const LinearScale &scale,
                   const std::vector<uint64_t> &counts, size_t columns)
{
    std::vector<Row> rows = linear_rows(scale, counts);
    auto has_values = [](const Row &row) { return row.count != 0; };
    auto first = std::find_if(rows.begin(), rows.end(), has_values);
    auto end = std::find_if(rows.rbegin(), std::make_reverse_iterator(first), has_values).base();
    append_table(out, label, {first, end}, columns);
}

void append_percentiles(std::string &out, std::string_view suffix, const Histogram &histogram,
                        size_t columns)
{
    if (histogram.empty())
        return;
    std::vector<std::string> parts;
    if (histogram.count()) {
        for (const Percentile &percentile : percentiles)
            parts.push_back(fmt::format("{} {}{}", percentile.name,
                                        histogram.percentile(percentile.per_mille), suffix));
        parts.push_back(fmt::format("max {}{}", histogram.max(), suffix));
    }
    if (histogram.negative())
        parts.push_back(fmt::format("({} below 0)", histogram.negative()));
    append_parts(out, parts, "  ", columns);
}

void append_average(std::string &out, std::string_view unit, const Histogram &histogram,
                    size_t columns)
{
    if (histogram.count())
        append_parts(out,
                     {fmt::format("avg = {} {}", histogram.average(), unit),
                      fmt::format("total: {} {}", histogram.sum(), unit),
                      fmt::format("count: {}", histogram.count())},
                     ", ", columns);
}

std::vector<std::pair<std::string_view, Cell>> histogram_members(std::string_view unit,
                                                                 const Histogram &histogram)
{
    auto value = [&](uint64_t number) { return Cell::when(histogram.count(), number); };
    std::vector<std::pair<std::string_view, Cell>> members = {
        {"unit", unit},
        {"count", uint64_t(histogram.count())},
        {"sum", Cell::json(fmt::format("{}", histogram.sum()))},
        {"avg", value(histogram.average())},
        {"max", value(histogram.max())}};
    for (const Percentile &percentile : percentiles)
        members.emplace_back(percentile.name, value(histogram.percentile(percentile.per_mille)));
    return members;
}

void append_json(std::string &out, std::string_view unit, const Histogram &histogram)
{
    char separator = '{';
    for (const auto &[key, value] : histogram_members(unit, histogram)) {
        append_format(out, R"({}"{}":)", separator, key);
        append_json(out, value);
        separator = ',';
    }
    if (histogram.negative())
        append_format(out, R"(,"negative":{})", histogram.negative());
    append(out, R"(,"buckets":[)");
    for (uint32_t slot = 0; slot < histogram.slots().size(); slot++) {
        Range range = slot_range(slot);
        if (uint64_t count = histogram.slots()[slot].count)
            append_json_bucket(out, {range.low, range.high, count});
    }
    append(out, "]}");
}

void append_json(std::string &out, std::string_view unit, const LinearScale &scale,
                 const std::vector<uint64_t> &counts)
{
    append(out, R"({"unit":)");
    append_json_string(out, unit);
    append_format(out, R"(,"count":{},"buckets":[)",
                  std::accumulate(counts.begin(), counts.end(), uint64_t{0}));
    for (const Row &row : linear_rows(scale, counts)) {
        if (row.count)
            append_json_bucket(out, row);
    }
    append(out, "]}");
}

}  // namespace uscope::output
