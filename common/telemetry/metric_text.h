// Writes metrics in Prometheus's text format 0.0.4, which node_exporter's textfile collector reads
// and scrapes understand, or in OpenMetrics.
//
// OpenTelemetry's http.server.request.duration with the unit s becomes
// http_server_request_duration_seconds, and labels http.route become http_route
// (opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics).
#pragma once

#include <string>

#include "telemetry/metric_store.h"

namespace uscope::telemetry {

enum class TextForm : uint8_t { Prometheus, OpenMetrics };
std::string metric_text(const MetricStore &store, TextForm form = TextForm::Prometheus);

}  // namespace uscope::telemetry
