// Sorts rows by the values of one column.
#include "output/row_index.h"

#include <algorithm>

#include "output/escape.h"

namespace uscope::output {

void RowIndex::begin_table(size_t start, std::vector<std::string> titles)
{
    tables_.push_back({start, std::move(titles), {}});
}

void RowIndex::begin_row(size_t start)
{
    if (!tables_.empty())
        tables_.back().rows.push_back({start, {}});
}

RowIndex::Key RowIndex::key_of(const Cell &cell)
{
    switch (cell.kind) {
    case Cell::Kind::None:
        return {};
    case Cell::Kind::Real:
        return cell.real();
    case Cell::Kind::Unsigned:
        return double(uint64_t(cell.integer()));
    case Cell::Kind::Signed:
    case Cell::Kind::Bool:
        return double(cell.integer());
    default:
        return std::string(cell.text());
    }
}

void RowIndex::add(const Cell &cell)
{
    if (!tables_.empty() && !tables_.back().rows.empty())
        tables_.back().rows.back().keys.push_back(key_of(cell));
}

const std::vector<std::string> &RowIndex::titles() const
{
    static const std::vector<std::string> none;
    return tables_.empty() ? none : tables_.front().titles;
}

void RowIndex::append_rows(std::string &out, std::string_view text, const Table &table,
                           std::string_view title, std::optional<uint64_t> max_rows)
{
    struct Line {
        const Key *key;
        std::string_view text;
    };
    constexpr Key none;
    auto column = std::find(table.titles.begin(), table.titles.end(), title);
    size_t index = column - table.titles.begin();
    std::vector<Line> lines;
    for (size_t i = 0; i < table.rows.size(); i++) {
        const Row &row = table.rows[i];
        size_t end = i + 1 < table.rows.size() ? table.rows[i + 1].start : text.size();
        lines.push_back({index < row.keys.size() ? &row.keys[index] : &none,
                         text.substr(row.start, end - row.start)});
    }
    // Numbers before texts, and these before rows without value.
    auto goes_before = [](const Line &a, const Line &b) {
        auto *text_a = std::get_if<std::string>(a.key), *text_b = std::get_if<std::string>(b.key);
        if (text_a && text_b)
            return *text_a < *text_b;
        auto *number_a = std::get_if<double>(a.key), *number_b = std::get_if<double>(b.key);
        if (number_a && number_b)
            return *number_a > *number_b;
        return number_a ? !number_b : text_a && !text_b && !number_b;
    };
    if (column != table.titles.end())
        std::stable_sort(lines.begin(), lines.end(), goes_before);
    if (max_rows && lines.size() > *max_rows)
        lines.resize(*max_rows);
    for (const Line &line : lines)
        output::append(out, line.text);
}

std::string RowIndex::sorted(std::string_view text, std::string_view title,
                             std::optional<uint64_t> max_rows) const
{
    std::string out;
    size_t at = 0;
    for (size_t i = 0; i < tables_.size(); i++) {
        const Table &table = tables_[i];
        size_t end = i + 1 < tables_.size() ? tables_[i + 1].start : text.size();
        size_t first_row = table.rows.empty() ? end : table.rows[0].start;
        output::append(out, text.substr(at, first_row - at));
        append_rows(out, text.substr(0, end), table, title, max_rows);
        at = end;
    }
    output::append(out, text.substr(at));
    return out;
}

}  // namespace uscope::output
