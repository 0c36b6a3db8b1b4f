// Prints histograms of groups, such as one per process. A list of fields describes the groups once,
// for the title over each table and for the members of each JSON object.
//
//     comm = redis-server, pid = 181          {"time_ns":1700000000000000000,"comm":"redis-server",
//          usecs       : count ...             "pid":181,"histogram":{"unit":"usecs","count":...}}
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/format.h"
#include "output/histogram_text.h"
#include "output/json.h"
#include "output/rows.h"

namespace uscope::output {

struct HistogramStyle {
    std::string label = {};   // heading of the values: "usecs", "query latency (ms)"
    std::string unit = {};    // in JSON and averages
    std::string suffix = {};  // after percentiles: "us"
    bool log_linear = false;  // several rows per power of two
    bool average = false, percentiles = false;
    bool json = false;
};

// Appends the table and the lines below it, without a title.
void append_tables(std::string &out, const HistogramStyle &style, const Histogram &histogram,
                   size_t columns);

template <class Group>
class HistogramRows {
  public:
    // Uses only key and value of each field. Without `title`, the title over a table is
    // "comm = x, pid = 181".
    HistogramRows(Writer &writer, std::vector<Field<Group>> fields, HistogramStyle style,
                  std::function<std::string(const Group &)> title = {})
        : writer_(writer),
          fields_(std::move(fields)),
          style_(std::move(style)),
          title_(std::move(title))
    {
        std::erase_if(fields_, [](const Field<Group> &field) { return !field.is_in(true); });
        for (const Field<Group> &field : fields_)
            if (field.key == "pid")
                pid_ = field.value;
    }

    // `time_ns`: the end of the interval, since 1970.
    void add(const Group &group, const Histogram &histogram, uint64_t time_ns)
    {
        std::string &out = writer_.buffer();
        if (!style_.json) {
            append_title(group);
            append_tables(out, style_, histogram, writer_.columns());
            return;
        }
        if (writer_.style().csv)
            return add_csv(group, histogram, time_ns);
        JsonObject object(out);
        object.add("time_ns", time_ns);
        for (const Field<Group> &field : fields_)
            append_json(object.member(field.key), field.value(group));
        for (auto &[column, cell] : process_cells(group)) {
            if (!cell.is_none())
                append_json(object.member(column->key), cell);
        }
        append_json(object.member("histogram"), style_.unit, histogram);
        object.end_line();
    }

    // Calls `each(name, cell)` for what identifies the group; the names are those of attributes
    // (Field::attribute()), else the keys.
    template <class Each>
    void each_label(const Group &group, const Each &each) const
    {
        for (const Field<Group> &field : fields_)
            each(field.exported_as.empty() ? field.key : field.exported_as, field.value(group));
        for (auto &[column, cell] : process_cells(group)) {
            if (!column->title.empty())
                each(column->key, cell);
        }
    }

  private:
    // The columns are the fields and the members of the histogram, without its buckets.
    void add_csv(const Group &group, const Histogram &histogram, uint64_t time_ns)
    {
        std::vector<Column> columns = {{.title = {}, .key = "time_ns"}};
        std::vector<Cell> cells = {time_ns};
        for (const Field<Group> &field : fields_) {
            columns.push_back({.title = {}, .key = field.key});
            cells.push_back(field.value(group));
        }
        for (auto &[column, cell] : process_cells(group)) {
            columns.push_back({.title = {}, .key = column->key});
            cells.push_back(std::move(cell));
        }
        for (auto &[key, cell] : histogram_members(style_.unit, histogram)) {
            columns.push_back({.title = {}, .key = std::string(key)});
            cells.push_back(std::move(cell));
        }
        Table(writer_, std::move(columns), true).row(cells);
    }
    void append_title(const Group &group)
    {
        std::string &out = writer_.buffer();
        if (fields_.empty())
            return;
        out.push_back('\n');
        if (title_)
            append(out, title_(group));
        for (size_t i = 0; i < fields_.size() && !title_; i++) {
            append(out, i ? ", " : "");
            append(out, fields_[i].key);
            append(out, " = ");
            Cell value = fields_[i].value(group);
            append_text(out, value.is_none() ? Cell("?") : value);
        }
        for (auto &[column, cell] : process_cells(group)) {
            if (column->title.empty() || cell.is_none())
                continue;
            append_format(out, ", {} = ", column->key);
            append_text(out, cell);
        }
        out.push_back('\n');
    }

    using ProcessCell = std::pair<const ProcessColumn *, Cell>;
    std::vector<ProcessCell> process_cells(const Group &group) const
    {
        std::vector<ProcessCell> cells;
        if (!pid_)
            return cells;
        for (const ProcessColumn &column : writer_.process_columns())
            cells.emplace_back(&column, column.cell(pid_(group), true));
        return cells;
    }

    Writer &writer_;
    std::vector<Field<Group>> fields_;
    std::function<Cell(const Group &)> pid_;  // null: the groups have no process
    HistogramStyle style_;
    std::function<std::string(const Group &)> title_;
};

}  // namespace uscope::output
