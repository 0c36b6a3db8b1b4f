// Formats the activity of processes (see activity.h).
#include "lang/activity.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/text.h"

namespace uscope::lang {
const ActivityColumn activity_table[] = {
    {"METHOD/s", 10, "methods", "method", "uscope.method_calls", "Calls of methods and functions."},
    {"GC/s", 6, "gcs", "gc", "uscope.collections", "Garbage collections."},
    {"OBJNEW/s", 10, "objects", "objnew", "uscope.objects_allocated", "Objects allocated."},
    {"CLOAD/s", 8, "classes", "cload", "uscope.classes_loaded",
     "Classes, modules and files loaded."},
    {"EXC/s", 6, "exceptions", "excp", "uscope.exceptions", "Exceptions thrown."},
    {"THR/s", 6, "threads", "thread", "uscope.threads_started", "Threads started."},
    {"GC%", 6, "gc_ns", "pause", "uscope.collection", "Time spent in garbage collections."},
    {"BYTES/s", 10, "bytes", "bytes", "uscope.allocated", "Bytes of the objects allocated."},
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
            return i == paused_column ? Cell(rate / 1e7, 1) : Cell(std::llround(rate));
        };
        const ActivityColumn &column = activity_table[i];
        fields.push_back(
            {column.title, i + 1 < activity_columns ? column.width : 0, column.key, count, rate});
    }
    return fields;
}

}  // namespace uscope::lang
