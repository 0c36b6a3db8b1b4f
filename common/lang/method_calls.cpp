#include "lang/method_calls.h"

#include <algorithm>

#include "output/name.h"
#include "output/table.h"

namespace uscope::lang {

// Most last, as BCC has it.
void sort_calls(std::vector<MethodCalls> &methods, const CallsStyle &style)
{
    auto rank = [&](const MethodCalls &method) {
        return std::pair(style.latency ? method.time_ns : method.calls, method.calls);
    };
    std::sort(methods.begin(), methods.end(), [&](const MethodCalls &a, const MethodCalls &b) {
        return std::pair(rank(a), b.shown()) < std::pair(rank(b), a.shown());
    });
}

void print_calls(output::Writer &writer, const std::vector<MethodCalls> &methods,
                 const CallsStyle &style, const std::string &now)
{
    auto time = [&](uint64_t ns) { return ns / (style.milliseconds ? 1e6 : 1e3); };
    const char *unit = style.milliseconds ? "ms" : "us";
    auto time_column = [&](const char *what, const char *json) {
        return output::Column{fmt::format("{} ({})", what, unit), 12, output::right,
                              fmt::format("{}_{}", json, unit)};
    };
    std::vector<output::Column> columns;
    if (style.json)
        columns = {{"TIME"}, {"KIND"}, {"CLASS"}};
    columns.push_back({"METHOD", 50});
    columns.push_back({"# CALLS", 8, output::right, "calls"});
    if (style.latency)
        columns.push_back(time_column("TIME", "time"));
    if (style.percentiles) {
        columns.push_back(time_column("P50", "p50"));
        columns.push_back(time_column("P99", "p99"));
        columns.push_back(time_column("MAX", "max"));
    }
    output::Table table(writer, columns, style.json);
    table.header();
    for (const MethodCalls &method : methods) {
        output::Cell name(method.name);
        fmt::memory_buffer shown;
        if (!style.json) {
            output::append_name(shown, method.shown());
            name.shown = {shown.data(), shown.size()};
        }
        std::vector<output::Cell> cells;
        if (style.json)
            cells = {now, method.is_syscall ? "syscall" : "method",
                     method.class_name.empty() ? output::Cell() : output::Cell(method.class_name)};
        cells.push_back(name);
        cells.emplace_back(method.calls);
        if (style.latency)  // none when no call has returned
            cells.push_back(method.time_ns ? output::Cell(time(method.time_ns), 2)
                                           : output::Cell());
        if (style.percentiles) {
            bool any = method.times.count();  // none when no call has returned
            for (uint64_t ns :
                 {method.times.percentile(500), method.times.percentile(990), method.times.max()})
                cells.push_back(any ? output::Cell(time(ns), 2) : output::Cell());
        }
        table.row(cells);
    }
}

}  // namespace uscope::lang
