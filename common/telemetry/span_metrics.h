// Durations of requests and statements as histograms, with the names, labels and buckets of
// OpenTelemetry's semantic conventions: http.server.request.duration and so on.
#pragma once

#include "telemetry/metrics.h"
#include "telemetry/otlp.h"

namespace uscope::telemetry {

class SpanMetrics {
  public:
    SpanMetrics(run::Tool &tool, const MetricOptions &options) : metrics_(tool, options) {}

    Result<> start(run::Loop &loop) { return metrics_.start(loop); }
    void add(const Span &span, const Attributes &attributes)
    {
        add(metrics_.store(), span, attributes, metrics_.resources().service(span.tgid, span.comm),
            labels_);
    }
    void end() { metrics_.end(); }

    // `service`: service.name of the span's process. `labels`: memory to use.
    static void add(MetricStore &store, const Span &span, const Attributes &attributes,
                    const std::string &service, Labels &labels);

  private:
    Metrics metrics_;
    Labels labels_;
};

}  // namespace uscope::telemetry
