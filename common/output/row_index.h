// Remembers where the rows of tables are in a text, and the values of their cells, so that a
// display can sort the rows of a text that was written before.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "output/cell.h"

namespace uscope::output {

class RowIndex {
  public:
    // Call these while the text is written, with offsets in it. The lines up to the next row, or to
    // the next table, belong to a row, such as the frames of its stack.
    void begin_table(size_t start, std::vector<std::string> titles);
    void begin_row(size_t start);
    void add(const Cell &cell);

    // The titles of the first table's columns; empty if there is no table.
    const std::vector<std::string> &titles() const;
    // Returns the text with the rows of its tables in the order of the column with this title:
    // numbers from the greatest, texts from the first. Tables that lack this column stay as they
    // are. `max_rows`: of each table.
    std::string sorted(std::string_view text, std::string_view title,
                       std::optional<uint64_t> max_rows) const;

  private:
    using Key = std::variant<std::monostate, double, std::string>;
    struct Row {
        size_t start;
        std::vector<Key> keys;
    };
    struct Table {
        size_t start;
        std::vector<std::string> titles;
        std::vector<Row> rows;
    };
    static Key key_of(const Cell &cell);
    static void append_rows(std::string &out, std::string_view text, const Table &table,
                            std::string_view title, std::optional<uint64_t> max_rows);

    std::vector<Table> tables_;
};

}  // namespace uscope::output
