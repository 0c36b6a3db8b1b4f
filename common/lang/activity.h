// What the runtimes of languages did, process by process: as rows for people, as JSON, and as metrics
// for Prometheus.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "lib/activity.h"
#include "output/rows.h"

namespace uscope::lang {

// A column, in BCC's order.
struct ActivityColumn {
    const char *title;   // "METHOD/s"
    int width;           // of the text form
    const char *key;     // in JSON, of the count: "methods"
    const char *sort;    // as -S takes it: "method"
    const char *metric;  // "method_calls"
    const char *help;    // of the metric
};
constexpr size_t activity_columns = ACTIVITY_COUNTS + 2;  // the counts, the pauses, the bytes
extern const ActivityColumn activity_table[activity_columns];

struct Activity {
    pid_t pid = 0;
    std::string language, command;
    uint64_t values[activity_columns] = {};  // pauses are nanoseconds
    unsigned reported = 0;  // which columns the runtime tells, as bits; the others are unknown

    bool has(size_t column) const { return reported >> column & 1; }
    uint64_t events() const;  // all that is counted
};

// The column that -S names. Errors are usage errors.
Result<size_t> find_activity_column(std::string_view name);

// The most first: by the column, else by all events. Then by pid.
void sort_activities(std::vector<Activity> &rows, std::optional<size_t> column);

// What a process has done in an interval.
struct ActivityRow {
    const Activity &since_last;
    double seconds;    // that the interval took
    uint64_t time_ns;  // its end, since 1970
};
// BCC's columns, with the share of the time in collections and the bytes allocated behind them: rates,
// and "-" for what a runtime does not tell. In JSON what was counted, and null.
output::Rows<ActivityRow>::Fields activity_fields();

// Totals since the start in the OpenMetrics format, and in Prometheus's own, which node_exporter's textfile
// collector reads.
void append_prometheus(std::string &out, const std::vector<Activity> &totals);
void append_openmetrics(std::string &out, const std::vector<Activity> &totals);

}  // namespace uscope::lang
