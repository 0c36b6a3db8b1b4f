// Formats the activity of processes (see activity.h).
#include "lang/activity.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/text.h"
#include "output/escape.h"

namespace uscope::lang {
namespace {

constexpr size_t paused = ACTIVITY_COUNTS, bytes = ACTIVITY_COUNTS + 1;

// Appends a label's value. Inside its quotes, three characters have to be escaped.
void append_label(std::string &out, std::string_view text)
{
    for (char c : text) {
        if (c == '\n')
            output::append(out, "\\n");
        else if (c == '"' || c == '\\')
            out.append(std::string{'\\', c});
        else
            out.push_back(c);
    }
}

}  // namespace

const ActivityColumn activity_table[] = {
    {"METHOD/s", 10, "methods", "method", "method_calls", "Calls of methods and functions"},
    {"GC/s", 6, "gcs", "gc", "collections", "Garbage collections"},
    {"OBJNEW/s", 10, "objects", "objnew", "objects_allocated", "Objects allocated"},
    {"CLOAD/s", 8, "classes", "cload", "classes_loaded", "Classes, modules and files loaded"},
    {"EXC/s", 6, "exceptions", "excp", "exceptions", "Exceptions thrown"},
    {"THR/s", 6, "threads", "thread", "threads_started", "Threads started"},
    {"GC%", 6, "gc_ns", "pause", "collection_seconds", "Time spent in garbage collections"},
    {"BYTES/s", 10, "bytes", "bytes", "allocated_bytes", "Bytes of the objects allocated"},
};

uint64_t Activity::events() const
{
    uint64_t sum = 0;
    for (size_t i = 0; i < ACTIVITY_COUNTS; i++)
        sum += values[i];
    return sum;
}

std::vector<std::string> activity_column_names()
{
    std::vector<std::string> names;
    for (size_t i = 0; i < activity_columns; i++)
        names.emplace_back(activity_table[i].sort);
    return names;
}

Result<size_t> find_activity_column(std::string_view name)
{
    auto names = activity_column_names();
    auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
        return fail_usage("-S takes {}, not \"{}\"", join(names, ", "), name);
    return found - names.begin();
}

void sort_activities(std::vector<Activity> &rows, std::optional<size_t> column)
{
    auto rank = [&](const Activity &row) { return column ? row.values[*column] : row.events(); };
    std::sort(rows.begin(), rows.end(), [&](const Activity &left, const Activity &right) {
        return rank(left) != rank(right) ? rank(left) > rank(right) : left.pid < right.pid;
    });
}

output::Rows<ActivityRow>::Fields activity_fields()
{
    using output::Cell;
    constexpr size_t command_columns = 20;
    auto activity =
        output::members_of([](const ActivityRow &row) -> auto & { return row.since_last; });
    auto command = [](const ActivityRow &row) {
        return std::string_view(row.since_last.command).substr(0, command_columns);
    };
    output::Rows<ActivityRow>::Fields fields = {
        {"time_ns", &ActivityRow::time_ns},
        {"seconds", &ActivityRow::seconds},
        {"PID", 6, "pid", activity(&Activity::pid)},
        {"language", activity(&Activity::language)},
        {"CMDLINE", command_columns, "command", activity(&Activity::command), command},
    };
    for (size_t i = 0; i < activity_columns; i++) {
        auto count = [i](const ActivityRow &row) {
            return row.since_last.has(i) ? Cell(row.since_last.values[i]) : Cell::json("null");
        };
        auto rate = [i](const ActivityRow &row) -> Cell {
            double rate = row.since_last.values[i] / row.seconds;
            if (!row.since_last.has(i))
                return "-";
            return i == paused ? Cell(rate / 1e7, 1) : Cell(std::llround(rate));
        };
        const ActivityColumn &column = activity_table[i];
        fields.push_back(
            {column.title, i + 1 < activity_columns ? column.width : 0, column.key, count, rate});
    }
    return fields;
}

namespace {

// Both formats end the names of rows with _total; OpenMetrics omits it in the HELP and TYPE lines.
void append_metrics(std::string &out, const std::vector<Activity> &totals, bool is_open)
{
    for (size_t i = 0; i < activity_columns; i++) {
        const ActivityColumn &column = activity_table[i];
        append_format(out, "# HELP uscope_{0}{2} {1}.\n# TYPE uscope_{0}{2} counter\n",
                      column.metric, column.help, is_open ? "" : "_total");
        if (is_open && (i == paused || i == bytes))
            append_format(out, "# UNIT uscope_{} {}\n", column.metric,
                          i == paused ? "seconds" : "bytes");
        for (const Activity &total : totals) {
            if (!total.has(i))
                continue;
            append_format(out, "uscope_{}_total{{pid=\"{}\",language=\"{}\",command=\"",
                          column.metric, total.pid, total.language);
            append_label(out, output::escaped(total.command));
            std::string value = fmt::format("{}", total.values[i]);
            if (i == paused)
                value = fmt::format("{}.{:09}", total.values[i] / 1'000'000'000,
                                    total.values[i] % 1'000'000'000);
            append_format(out, "\"}} {}\n", value);
        }
    }
}

}  // namespace

void append_openmetrics(std::string &out, const std::vector<Activity> &totals)
{
    append_metrics(out, totals, true);
    output::append(out, "# EOF\n");
}

void append_prometheus(std::string &out, const std::vector<Activity> &totals)
{
    append_metrics(out, totals, false);
}

}  // namespace uscope::lang
