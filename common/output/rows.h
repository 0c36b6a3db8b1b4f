// Prints the rows of a tool. A list of fields describes a row once, for the text table, its header,
// the JSON objects, and lines of CSV, which have the fields of JSON in columns:
//
//     std::vector<Field<Signal>> fields = {
//         {"time_ns", [&](auto &signal) { return clock.unix_ns(signal.ts_ns); }},
//         {"PID", 7, "pid", &Signal::pid},
//         {"SIG", rest, "signal", &Signal::name}};
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
#include "output/field.h"
#include "output/process_columns.h"
#include "output/writer.h"

namespace uscope::output {

struct Column {
    std::string title;  // in the text table
    Width width = {};
    std::string key = {};    // in the JSON object
    unsigned gives_way = 0;  // Field::gives_way()
};

// If all columns together are wider than the terminal, each is only as wide as its title and the
// cells so far need.
class Table {
  public:
    Table(Writer &writer, std::vector<Column> columns, bool json, bool raw = false);

    // Cuts lines of the text form that are wider than the terminal; these end with "...". Before
    // that, drops columns that give way (Field::gives_way()) until the last one has 30 columns of
    // the terminal. Returns the indices of the dropped columns, each one counted after the drops
    // before it.
    std::vector<size_t> cut_lines();
    // Prints nothing in the JSON form, or if the writer omits headings; in CSV, the keys, once.
    void header();
    // Prints the cells of one row, in the order of the columns. A None cell is blank (nothing at a
    // line's end), and absent from JSON. Escapes texts (not in the text form if `raw`).
    void row(const std::vector<Cell> &cells);
    // The same, cell by cell.
    void begin_row();
    void add(const Cell &cell);
    // `sorted_by`: the value by which a display sorts rows (Writer::row_index()).
    void add(const Cell &cell, const Cell &sorted_by);
    bool is_indexed() const { return writer_.row_index() != nullptr; }
    void end_row();
    // Prints a line that is not a row, such as a frame of a stack or a count of lost events. In the
    // text form, `text`, which must be safe and may be empty; in the JSON form, `json`, a complete
    // object such as {"type":"lost","count":3}, unless it is empty. Nothing in CSV.
    void line(std::string_view text, std::string_view json = {});

  private:
    bool is_csv() const { return json_ && writer_.style().csv; }
    void add_text(const Cell &cell);
    void add_json(const Cell &cell);
    void cut_row();

    Writer &writer_;
    std::vector<Column> columns_;
    std::vector<int> widths_;        // the widths in use
    std::vector<std::string> keys_;  // `"pid":`
    bool json_, raw_;
    size_t next_ = 0;         // the column of the row's next cell
    size_t max_columns_ = 0;  // maximum width of a line; 0: unlimited
    size_t line_start_ = 0;
    size_t text_end_ = 0;  // the end of the row's last cell; blanks after it are dropped
    bool any_ = false;     // JSON: a member was written
};

template <class Row>
class Rows {
  public:
    using Fields = std::vector<Field<Row>>;

    // Adds the writer's columns about processes. Drops the fields that the form (text or JSON) does
    // not have. Everything that a field's functions refer to must outlive this object.
    Rows(Writer &writer, Fields fields, bool json, bool raw = false)
        : table_(writer, prepare(fields, writer, json), json, raw)
    {
    }

    void cut_lines()
    {
        for (size_t dropped : table_.cut_lines())
            values_.erase(values_.begin() + dropped);
    }
    void header() { table_.header(); }
    void add(const Row &row)
    {
        table_.begin_row();
        for (const auto &value : values_) {
            if (value.sorted_by && table_.is_indexed())
                table_.add(value.get(row), value.sorted_by(row));
            else
                table_.add(value.get(row));
        }
        table_.end_row();
    }
    void line(std::string_view text, std::string_view json = {}) { table_.line(text, json); }

  private:
    // Fills values_, and returns the columns.
    std::vector<Column> prepare(Fields &fields, const Writer &writer, bool json)
    {
        ProcessPosition position;
        for (const Field<Row> &field : fields)
            position.look_at(field.key);
        std::function<Cell(const Row &)> pid;
        if (position.pid() != position.none && fields[position.pid()].is_in(json))
            pid = fields[position.pid()].value;
        std::vector<Column> columns;
        for (size_t i = 0; i < fields.size(); i++) {
            Field<Row> &field = fields[i];
            if (field.is_in(json)) {
                columns.push_back({field.title, field.width, field.key, field.narrow_rank});
                if (!json && field.shown)
                    values_.push_back({std::move(field.shown), std::move(field.value)});
                else
                    values_.push_back({std::move(field.value), {}});
            }
            if (!pid || i != position.last())
                continue;
            for (const ProcessColumn &column : writer.process_columns()) {
                if (!json && column.title.empty())
                    continue;
                columns.push_back({column.title, column.width, column.key});
                values_.push_back(
                    {[pid, column, json](const Row &row) { return column.cell(pid(row), json); },
                     {}});
            }
        }
        return columns;
    }

    struct Value {
        std::function<Cell(const Row &)> get, sorted_by;  // without `sorted_by`: by what is shown
    };
    std::vector<Value> values_;  // before table_, which prepare() makes
    Table table_;
};

}  // namespace uscope::output
