// What language runtimes did in each process, as table rows and JSON, and the names of metrics.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "bpf/runtimes/activity.h"
#include "output/rows.h"

namespace uscope::lang {

// A column of the table. The columns of activity_table are in BCC's order.
struct ActivityColumn {
    const char *title;   // "METHOD/s"
    int width;           // in the text form
    const char *key;     // of the count in JSON: "methods"
    const char *sort;    // its name for -S: "method"
    const char *metric;  // the metric's name, without its unit: "uscope.method_calls"
    const char *help;    // the metric's description: a sentence
};
constexpr size_t activity_columns = ACTIVITY_COUNTS + 2;  // the counts, the pauses, the bytes
constexpr size_t paused_column = ACTIVITY_COUNTS, bytes_column = ACTIVITY_COUNTS + 1;
extern const ActivityColumn activity_table[activity_columns];

struct Activity {
    pid_t pid = 0;
    std::string language, command;
    uint64_t values[activity_columns] = {};  // pauses are nanoseconds
    unsigned reported = 0;                   // bit i: the runtime reports column i; else unknown

    bool has(size_t column) const { return reported >> column & 1; }
    uint64_t events() const;  // the sum of the counts
};

// The names of the columns, for -S.
std::vector<std::string> activity_column_names();
// Returns the index of the column that -S names. Errors: a usage error for an unknown name.
Result<size_t> find_activity_column(std::string_view name);

// Sorts by the column or, without one, by all events: largest first, then by pid.
void sort_activities(std::vector<Activity> &rows, std::optional<size_t> column);

// What a process did in an interval.
struct ActivityRow {
    const Activity &since_last;
    double seconds;    // length of the interval
    uint64_t time_ns;  // end of the interval, since 1970
};
// BCC's columns, then the share of time in collections and the bytes allocated. The text form has
// rates, JSON has the counts. What the runtime does not report is "-" or null.
output::Rows<ActivityRow>::Fields activity_fields();

}  // namespace uscope::lang
