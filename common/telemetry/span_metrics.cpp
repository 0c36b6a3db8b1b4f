// Chooses the metric and the labels of a span.
#include "telemetry/span_metrics.h"

#include <algorithm>

#include "telemetry/otlp_metrics.h"

namespace uscope::telemetry {
namespace {

constexpr int64_t ms = 1'000'000;

Bounds bounds_of(std::initializer_list<int64_t> bounds)
{
    return std::make_shared<const std::vector<int64_t>>(bounds);
}
const Bounds &http_bounds()
{
    static const Bounds bounds =
        bounds_of({5 * ms, 10 * ms, 25 * ms, 50 * ms, 75 * ms, 100 * ms, 250 * ms, 500 * ms,
                   750 * ms, 1000 * ms, 2500 * ms, 5000 * ms, 7500 * ms, 10'000 * ms});
    return bounds;
}
const Bounds &database_bounds()
{
    static const Bounds bounds = bounds_of(
        {1 * ms, 5 * ms, 10 * ms, 50 * ms, 100 * ms, 500 * ms, 1000 * ms, 5000 * ms, 10'000 * ms});
    return bounds;
}

constexpr Metric http_server =
    histogram_of_time("http.server.request.duration", "Duration of HTTP server requests.");
constexpr Metric http_client =
    histogram_of_time("http.client.request.duration", "Duration of HTTP client requests.");
constexpr Metric database = histogram_of_time("db.client.operation.duration",
                                              "Duration of database operations, in the server.");

// The attributes that become labels: those with few values.
constexpr std::string_view label_names[] = {
    "http.request.method", "http.route",        "http.response.status_code",
    "url.scheme",          "db.system.name",    "db.namespace",
    "db.query.summary",    "db.operation.name", "error.type"};

bool is_label(std::string_view name)
{
    return std::find(std::begin(label_names), std::end(label_names), name) != std::end(label_names);
}

}  // namespace

void SpanMetrics::add(MetricStore &store, const Span &span, const Attributes &attributes,
                      const std::string &service, Labels &labels)
{
    bool is_database = false;
    size_t count = 0;
    auto next = [&](std::string_view name) -> std::string & {
        if (count == labels.size())
            labels.emplace_back();
        labels[count].first = name;
        labels[count].second.clear();
        return labels[count++].second;
    };
    next(service_label) = service;
    for (const auto &[name, cell] : attributes) {
        is_database |= name == "db.system.name";
        if (!cell.is_none() && is_label(name))
            output::append_text(next(name), cell, true);
    }
    labels.resize(count);
    const Metric &metric = is_database                       ? database
                           : span.kind == Span::Kind::Server ? http_server
                                                             : http_client;
    store.add_value(metric, labels, is_database ? database_bounds() : http_bounds(),
                    int64_t(span.end_ns - span.start_ns));
}

}  // namespace uscope::telemetry
