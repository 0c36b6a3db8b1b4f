// Rows of a tool. What a row is made of is described once, as a list of fields; the text table, its
// header and the JSON objects come from that list:
//
//     std::vector<Field<Signal>> fields = {
//         {.key = "time_ns", .value = [&](auto &signal) { return clock.unix_ns(signal.ts_ns); }},
//         {.title = "PID", .width = 7, .key = "pid", .value = [](auto &signal) { return signal.pid; }},
//         {.title = "SIG", .key = "signal", .value = [](auto &signal) { return signal.name; }}};
//     Rows<Signal> rows(writer, fields, json);
//     rows.header();            // PID     SIG
//     rows.add(signal);         // 181     SIGTERM
//                   or JSON:       {"time_ns":1700000000000000000,"pid":181,"signal":"SIGTERM"}
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "output/cell.h"
#include "output/writer.h"

namespace uscope::output {

constexpr bool right = true;

struct Column {
    std::string title;  // of the text table
    int width = 0;      // 0: the rest of the line (last column)
    bool right = false;
    std::string key = {};  // of the JSON object
};

// Where the columns are wider together than the terminal, each is only as wide as its title and the
// cells so far need.
class Table {
  public:
    Table(Writer &writer, std::vector<Column> columns, bool json, bool raw = false);

    // No line of the text form is wider than the terminal: what is too long is cut, and ends with "...".
    void cut_lines() { most_columns_ = json_ ? 0 : writer_.columns(); }
    void header();  // text only
    // The cells of one row, in the order of the columns. A None cell is blank (and nothing at a line's
    // end), and absent from JSON. Text is escaped here (`raw`: not in the text form).
    void row(const std::vector<Cell> &cells);
    // The same, cell by cell.
    void begin_row();
    void add(const Cell &cell);
    void end_row();
    // A line of its own, such as a frame of a stack or a count of lost events. Text form: `text`
    // (already safe), which may be empty. JSON form: `json`, a ready object such as
    // {"type":"lost","count":3}, if it is not empty.
    void line(std::string_view text, std::string_view json = {});

  private:
    void add_text(const Cell &cell);
    void add_json(const Cell &cell);
    void cut_line(std::string &out) const;

    Writer &writer_;
    std::vector<Column> columns_;
    std::vector<int> widths_;        // as shown
    std::vector<std::string> keys_;  // `"pid":`
    bool json_, raw_;
    size_t next_ = 0;          // the column of the row's next cell
    size_t most_columns_ = 0;  // of a line; 0: any
    size_t line_start_ = 0;
    size_t text_end_ = 0;  // of what the row has: blanks behind it are dropped
    bool any_ = false;     // JSON: a member was written
};

// (GCC 12 fails when a list of them is returned as it is: give the list a name.)
template <class Row>
struct Field {
    std::string title = {};  // of its column; empty: it is in JSON only
    int width = 0;
    bool right = false;
    std::string key = {};                         // of JSON; empty: it is in the table only
    std::function<Cell(const Row &)> value = {};  // in JSON, and in the table
    std::function<Cell(const Row &)> shown = {};  // in the table, where it is another one

    bool is_in(bool json) const { return json ? !key.empty() : !title.empty(); }
};

template <class Row>
class Rows {
  public:
    using Fields = std::vector<Field<Row>>;

    // Fields that the form does not have are dropped. What a field's functions refer to must outlive
    // this object.
    Rows(Writer &writer, Fields fields, bool json, bool raw = false)
        : table_(writer, columns(fields, json), json, raw)
    {
        for (Field<Row> &field : fields) {
            if (field.is_in(json))
                values_.push_back(!json && field.shown ? std::move(field.shown)
                                                       : std::move(field.value));
        }
    }

    void cut_lines() { table_.cut_lines(); }
    void header() { table_.header(); }
    void add(const Row &row)
    {
        table_.begin_row();
        for (const auto &value : values_)
            table_.add(value(row));
        table_.end_row();
    }
    void line(std::string_view text, std::string_view json = {}) { table_.line(text, json); }

  private:
    static std::vector<Column> columns(const Fields &fields, bool json)
    {
        std::vector<Column> columns;
        for (const Field<Row> &field : fields) {
            if (field.is_in(json))
                columns.push_back({field.title, field.width, field.right, field.key});
        }
        return columns;
    }

    std::vector<std::function<Cell(const Row &)>> values_;
    Table table_;
};

}  // namespace uscope::output
