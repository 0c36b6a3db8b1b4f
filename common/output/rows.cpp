// Pads cells to columns, or writes them as members of JSON objects or as CSV.
#include "output/rows.h"

#include <algorithm>
#include <utility>

#include "output/columns.h"
#include "output/escape.h"

namespace uscope::output {
namespace {

// The declared widths, if they fit in the terminal; else those of the titles. A last column without
// a width may have any length, so only its title counts.
std::vector<int> fitting_widths(const std::vector<Column> &columns, size_t terminal)
{
    std::vector<int> declared, least;
    size_t together = 0;
    for (const Column &column : columns) {
        declared.push_back(column.width.columns);
        least.push_back(column.title.size());
        together += std::max(declared.back(), least.back()) + 1;
    }
    return terminal && together > terminal + 1 ? least : declared;
}

}  // namespace

Table::Table(Writer &writer, std::vector<Column> columns, bool json, bool raw)
    : writer_(writer),
      columns_(std::move(columns)),
      widths_(fitting_widths(columns_, writer.columns())),
      json_(json),
      raw_(raw)
{
    for (const Column &column : columns_) {
        std::string key;
        append_json_string(key, column.key);
        key.push_back(':');
        keys_.push_back(std::move(key));
    }
}

std::vector<size_t> Table::cut_lines()
{
    constexpr size_t least_for_last = 30;
    max_columns_ = json_ ? 0 : writer_.columns();
    std::vector<size_t> dropped;
    bool last_is_open = !columns_.empty() && columns_.back().width.columns == 0;
    if (!max_columns_ || !last_is_open)
        return dropped;
    auto before_last = [&] {
        size_t together = 0;
        for (size_t i = 0; i + 1 < columns_.size(); i++)
            together += std::max<size_t>(columns_[i].width.columns, columns_[i].title.size()) + 1;
        return together;
    };
    while (before_last() + least_for_last > max_columns_) {
        auto first = std::max_element(
            columns_.begin(), columns_.end(),
            [](const Column &a, const Column &b) { return a.gives_way < b.gives_way; });
        if (first->gives_way == 0)
            break;
        dropped.push_back(first - columns_.begin());
        columns_.erase(first);
        keys_.erase(keys_.begin() + dropped.back());
    }
    widths_ = fitting_widths(columns_, max_columns_);
    return dropped;
}

void Table::header()
{
    if (is_csv()) {
        std::string line;
        for (const Column &column : columns_) {
            append(line, line.empty() ? "" : ",");
            append_csv(line, column.key);
        }
        line.push_back('\n');
        return writer_.csv_columns(line);
    }
    if (json_)
        return;
    std::string &out = writer_.buffer();
    size_t start = out.size();
    next_ = 0;
    line_start_ = text_end_ = start;
    if (RowIndex *index = writer_.row_index()) {
        std::vector<std::string> titles;
        for (const Column &column : columns_)
            titles.push_back(column.title);
        index->begin_table(start, std::move(titles));
    }
    for (const Column &column : columns_) {
        add_text(column.title);
        next_++;
    }
    cut_row();
    std::string line = out.substr(start);
    out.resize(start);
    writer_.heading(line);
}

void Table::row(const std::vector<Cell> &cells)
{
    begin_row();
    for (const Cell &cell : cells)
        add(cell);
    end_row();
}

void Table::begin_row()
{
    if (is_csv())
        header();
    next_ = 0;
    any_ = false;
    line_start_ = text_end_ = writer_.buffer().size();
    if (RowIndex *index = writer_.row_index())
        index->begin_row(line_start_);
}

void Table::add(const Cell &cell)
{
    add(cell, cell);
}

void Table::add(const Cell &cell, const Cell &sorted_by)
{
    if (RowIndex *index = writer_.row_index())
        index->add(sorted_by);
    if (is_csv()) {
        append(writer_.buffer(), next_ ? "," : "");
        append_csv(writer_.buffer(), cell);
    } else if (json_) {
        add_json(cell);
    } else {
        add_text(cell);
    }
    next_++;
}

void Table::add_text(const Cell &cell)
{
    std::string &out = writer_.buffer();
    const Column &column = columns_[next_];
    int &width = widths_[next_];
    if (next_)
        out.push_back(' ');
    size_t start = out.size();
    bool is_ascii = append_text(out, cell, raw_);
    size_t end = out.size();
    pad(out, start, width, !column.width.is_right, is_ascii);
    if (!cell.is_none())
        text_end_ = column.width.is_right ? out.size() : end;
    if (int max = column.width.columns; width < max)
        width = std::clamp<int>(columns({out.data() + start, end - start}), width, max);
}

void Table::add_json(const Cell &cell)
{
    if (cell.is_none())
        return;
    std::string &out = writer_.buffer();
    out.push_back(std::exchange(any_, true) ? ',' : '{');
    append(out, keys_[next_]);
    append_json(out, cell);
}

void Table::cut_row()
{
    std::string &out = writer_.buffer();
    out.resize(text_end_);
    constexpr std::string_view mark = "...";
    std::string_view line(out.data() + line_start_, out.size() - line_start_);
    if (!max_columns_ || columns(line) <= max_columns_)
        return;
    size_t kept = max_columns_ > mark.size() ? max_columns_ - mark.size() : 0;
    out.resize(line_start_ + bytes_of_columns(line, kept));
    append(out, mark.substr(0, max_columns_));
}

void Table::end_row()
{
    std::string &out = writer_.buffer();
    if (is_csv()) {
        out.push_back('\n');
    } else if (json_) {
        append(out, any_ ? "}\n" : "{}\n");
    } else {
        cut_row();
        out.push_back('\n');
    }
    writer_.maybe_flush();
}

void Table::line(std::string_view text, std::string_view json)
{
    std::string &out = writer_.buffer();
    if (is_csv() || (json_ && json.empty()))
        return;
    append(out, json_ ? json : text);
    out.push_back('\n');
    writer_.maybe_flush();
}

}  // namespace uscope::output
