// Sorts and prints the calls of methods.
#include "lang/method_calls.h"

#include <algorithm>

#include "base/format.h"
#include "output/clock.h"
#include "output/name.h"
#include "output/rows.h"

namespace uscope::lang {

// The order is that of BCC's ucalls.
void sort_calls(std::vector<MethodCalls> &methods, const CallsStyle &style)
{
    auto rank = [&](const MethodCalls &method) {
        return std::pair(style.latency ? method.time_ns : method.calls, method.calls);
    };
    std::sort(methods.begin(), methods.end(), [&](const MethodCalls &a, const MethodCalls &b) {
        return std::pair(rank(a), b.shown()) < std::pair(rank(b), a.shown());
    });
}

namespace {

using output::Cell;
using CallsField = output::Field<MethodCalls>;

// A time in the chosen unit, in JSON in nanoseconds; "-" or null if no call has returned.
CallsField time_field(const CallsStyle &style, const char *title, const char *key, bool shown,
                      std::function<uint64_t(const MethodCalls &)> ns, auto is_known)
{
    double unit_ns = style.milliseconds ? 1e6 : 1e3;
    const char *unit = style.milliseconds ? "ms" : "us";
    return {.title = shown ? fmt::format("{} ({})", title, unit) : "",
            .width = 12,
            .right = true,
            .key = shown ? key : "",
            .value = [=](const MethodCalls &m) { return Cell::when(is_known(m), ns(m)); },
            .shown =
                [=](const MethodCalls &m) {
                    return is_known(m) ? Cell(ns(m) / unit_ns, 2) : Cell("-");
                }};
}

output::Rows<MethodCalls>::Fields fields_of(const CallsStyle &style)
{
    uint64_t now_ns = output::Clock::now_unix_ns();
    auto any_time = [](const MethodCalls &m) { return m.time_ns != 0; };
    auto any_times = [](const MethodCalls &m) { return m.times.count() != 0; };
    auto percentile = [&](const char *title, const char *key, unsigned permille) {
        return time_field(
            style, title, key, style.percentiles,
            [=](const MethodCalls &m) { return m.times.percentile(permille); }, any_times);
    };
    output::Rows<MethodCalls>::Fields fields = {
        {.key = "time_ns", .value = [=](const MethodCalls &) { return now_ns; }},
        {.key = "kind",
         .value = [](const MethodCalls &m) { return m.is_syscall ? "syscall" : "method"; }},
        {.key = "class",
         .value =
             [](const MethodCalls &m) { return Cell::when(!m.class_name.empty(), m.class_name); }},
        {.title = "METHOD",
         .width = 50,
         .key = "method",
         .value = [](const MethodCalls &m) { return Cell(m.name); },
         .shown =
             [](const MethodCalls &m) {
                 std::string shown;
                 output::append_name(shown, m.shown());
                 return Cell::safe(std::move(shown));
             }},
        {.title = "# CALLS",
         .width = 8,
         .right = true,
         .key = "calls",
         .value = [](const MethodCalls &m) { return m.calls; }},
        time_field(
            style, "TIME", "duration_ns", style.latency,
            [](const MethodCalls &m) { return m.time_ns; }, any_time),
        percentile("P50", "p50_ns", 500),
        percentile("P99", "p99_ns", 990),
        time_field(
            style, "MAX", "max_ns", style.percentiles,
            [](const MethodCalls &m) { return m.times.max(); }, any_times),
    };
    return fields;
}

}  // namespace

void print_calls(output::Writer &writer, const std::vector<MethodCalls> &methods,
                 const CallsStyle &style)
{
    output::Rows<MethodCalls> rows(writer, fields_of(style), style.json);
    rows.header();
    for (const MethodCalls &method : methods)
        rows.add(method);
}

}  // namespace uscope::lang
