#include "lang/activity.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "output/escape.h"

namespace uscope::lang {
namespace {

constexpr size_t paused = ACTIVITY_COUNTS, bytes = ACTIVITY_COUNTS + 1;

// A label's value: as it is but for the three characters that its quotes need escaped.
void append_label(fmt::memory_buffer &out, std::string_view text)
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

Result<size_t> find_activity_column(std::string_view name)
{
    std::vector<std::string> names;
    for (size_t i = 0; i < activity_columns; i++) {
        if (name == activity_table[i].sort)
            return i;
        names.emplace_back(activity_table[i].sort);
    }
    return fail_usage("-S takes {}, not \"{}\"", fmt::join(names, ", "), name);
}

void sort_activities(std::vector<Activity> &rows, std::optional<size_t> column)
{
    auto rank = [&](const Activity &row) { return column ? row.values[*column] : row.events(); };
    std::sort(rows.begin(), rows.end(), [&](const Activity &left, const Activity &right) {
        return rank(left) != rank(right) ? rank(left) > rank(right) : left.pid < right.pid;
    });
}

void append_activity_header(fmt::memory_buffer &out)
{
    fmt::format_to(fmt::appender(out), "{:<6} {:<20}", "PID", "CMDLINE");
    for (size_t i = 0; i < activity_columns; i++) {
        const ActivityColumn &column = activity_table[i];
        int width = i + 1 < activity_columns ? column.width : 0;
        fmt::format_to(fmt::appender(out), " {:<{}}", column.title, width);
    }
    out.push_back('\n');
}

void append_activity(fmt::memory_buffer &out, const Activity &row, double seconds)
{
    constexpr size_t command_columns = 20;
    fmt::format_to(fmt::appender(out), "{:<6} ", row.pid);
    size_t start = out.size();
    output::append_escaped(out, std::string_view(row.command).substr(0, command_columns));
    output::pad(out, start, command_columns, true);
    for (size_t i = 0; i < activity_columns; i++) {
        int width = i + 1 < activity_columns ? activity_table[i].width : 0;
        std::string cell = "-";
        double rate = row.values[i] / seconds;
        if (row.tells(i))
            cell = i == paused ? fmt::format("{:.1f}", rate / 1e7)
                               : fmt::format("{}", std::llround(rate));
        fmt::format_to(fmt::appender(out), " {:<{}}", cell, width);
    }
    out.push_back('\n');
}

void append_activity_json(fmt::memory_buffer &out, const Activity &row, std::string_view time,
                          double seconds)
{
    fmt::format_to(
        fmt::appender(out),
        "{{\"time\":\"{}\",\"seconds\":{:.3f},\"pid\":{},\"language\":\"{}\",\"command\":", time,
        seconds, row.pid, row.language);
    output::append_json_string(out, row.command);
    for (size_t i = 0; i < activity_columns; i++) {
        std::string value = row.tells(i) ? fmt::format("{}", row.values[i]) : "null";
        fmt::format_to(fmt::appender(out), ",\"{}\":{}", activity_table[i].key, value);
    }
    output::append(out, "}\n");
}

void append_openmetrics(fmt::memory_buffer &out, const std::vector<Activity> &totals)
{
    for (size_t i = 0; i < activity_columns; i++) {
        const ActivityColumn &column = activity_table[i];
        fmt::format_to(fmt::appender(out), "# HELP uscope_{0} {1}.\n# TYPE uscope_{0} counter\n",
                       column.metric, column.help);
        if (i == paused || i == bytes)
            fmt::format_to(fmt::appender(out), "# UNIT uscope_{} {}\n", column.metric,
                           i == paused ? "seconds" : "bytes");
        for (const Activity &total : totals) {
            if (!total.tells(i))
                continue;
            fmt::format_to(fmt::appender(out),
                           "uscope_{}_total{{pid=\"{}\",language=\"{}\",command=\"", column.metric,
                           total.pid, total.language);
            append_label(out, output::escaped(total.command));
            std::string value = fmt::format("{}", total.values[i]);
            if (i == paused)
                value = fmt::format("{}.{:09}", total.values[i] / 1'000'000'000,
                                    total.values[i] % 1'000'000'000);
            fmt::format_to(fmt::appender(out), "\"}} {}\n", value);
        }
    }
    output::append(out, "# EOF\n");
}

}  // namespace uscope::lang
