// Histograms of groups, such as one for each process. What they are grouped by is described once: from
// it come the title over each table, and the members of each JSON object.
//
//     comm = redis-server, pid = 181          {"time_ns":1700000000000000000,"comm":"redis-server",
//          usecs       : count ...             "pid":181,"histogram":{"unit":"usecs","count":...}}
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "output/histogram_text.h"
#include "output/json.h"
#include "output/rows.h"

namespace uscope::output {

struct HistogramStyle {
    std::string label = {};              // over the values: "usecs", "query latency (ms)"
    std::string unit = {}, suffix = {};  // of JSON; of percentiles: "us"
    bool log_linear = false;             // finer rows
    bool average = false, percentiles = false;
    bool json = false;
};

// The table and the lines below it; without a title.
void append_tables(std::string &out, const HistogramStyle &style, const Histogram &histogram,
                   size_t columns);

template <class Group>
class HistogramRows {
  public:
    // Of a field its title, key and value. Without `title`, a title is "comm = x, pid = 181".
    HistogramRows(Writer &writer, std::vector<Field<Group>> fields, HistogramStyle style,
                  std::function<std::string(const Group &)> title = {})
        : writer_(writer),
          fields_(std::move(fields)),
          style_(std::move(style)),
          title_(std::move(title))
    {
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
        JsonObject object(out);
        object.add("time_ns", time_ns);
        for (const Field<Group> &field : fields_)
            append_json(object.member(field.key), field.value(group));
        append_json(object.member("histogram"), style_.unit, histogram);
        object.end_line();
    }

  private:
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
            append(out, fields_[i].title);
            append(out, " = ");
            Cell value = fields_[i].value(group);
            append_text(out, value.is_none() ? Cell("?") : value);
        }
        out.push_back('\n');
    }

    Writer &writer_;
    std::vector<Field<Group>> fields_;
    HistogramStyle style_;
    std::function<std::string(const Group &)> title_;
};

}  // namespace uscope::output
