// Writes metrics as OTLP's ExportMetricsServiceRequest (opentelemetry-proto: metrics.proto): totals
// since the start ("cumulative"), and histograms with explicit bounds. Receivers such as
// VictoriaMetrics store other forms as they come.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "telemetry/metric_store.h"
#include "telemetry/otlp.h"

namespace uscope::telemetry {

// The label that becomes an attribute of the resource.
constexpr std::string_view service_label = "service.name";

struct MetricRequest {
    std::string body;
    uint64_t points = 0;
};
// `resource`: the attributes of a resource with this service.name; "": that of uscope itself. Times
// are nanoseconds since 1970.
MetricRequest encode_metrics(Form form, const MetricStore &store, uint64_t start_ns,
                             uint64_t now_ns,
                             const std::function<Attributes(const std::string &service)> &resource);

}  // namespace uscope::telemetry
