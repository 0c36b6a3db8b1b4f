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

output::Rows<MethodCalls>::Fields fields_of(const CallsStyle &style)
{
    using Field = output::Field<MethodCalls>;
    using output::Cell, output::Histogram, output::right;
    auto times = output::members_of(&MethodCalls::times);
    // "-" or absent if no call has returned.
    auto time = [&](const char *title, const char *key, auto get, auto is_known) {
        auto ns = [=](const MethodCalls &m) {
            return Cell::when(std::invoke(is_known, m), std::invoke(get, m));
        };
        return Field::duration(
            title, key, ns, style.milliseconds ? output::milliseconds_text : output::duration_text);
    };
    auto percentile = [&](const char *title, const char *key, unsigned permille) {
        return time(
            title, key, [=](const MethodCalls &m) { return m.times.percentile(permille); },
            times(&Histogram::count));
    };
    auto shown = [](const MethodCalls &m) {
        std::string text;
        output::append_name(text, m.shown());
        return Cell::safe(std::move(text));
    };
    auto kind = [](const MethodCalls &m) { return m.is_syscall ? "syscall" : "method"; };
    return {
        {"time_ns", output::always(output::Clock::now_unix_ns())},
        {"kind", kind},
        {"class", output::if_any(&MethodCalls::class_name)},
        {"METHOD", 50, "method", &MethodCalls::name, shown},
        {"# CALLS", right(8), "calls", &MethodCalls::calls},
        time("TOTAL", "duration_ns", &MethodCalls::time_ns, &MethodCalls::time_ns)
            .only_if(style.latency),
        percentile("P50", "p50_ns", 500).only_if(style.percentiles),
        percentile("P99", "p99_ns", 990).only_if(style.percentiles),
        time("MAX", "max_ns", times(&Histogram::max), times(&Histogram::count))
            .only_if(style.percentiles),
    };
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
