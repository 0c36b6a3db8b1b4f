// --otlp: exports a tool's rows as spans of OpenTelemetry, from the list of fields that also
// describes the table and JSON (output/field.h).
//
//     telemetry::Spans<Row> spans(tool, options.spans, fields, span_of);
//     TRY(spans.start(session.loop()));
//     spans.add(row);          // nothing without --otlp
//     spans.end();
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "output/field.h"
#include "telemetry/otlp.h"
#include "telemetry/otlp_output.h"
#include "telemetry/process_resources.h"
#include "telemetry/span_metrics.h"

namespace uscope::run {
class Loop;
class Tool;
}  // namespace uscope::run

namespace uscope::telemetry {

struct SpanOptions {
    std::string target;  // a URL, "env", or a file; "": no export
    bool values = false;
    bool trace_id = false;  // a column with the id of the row's trace
    MetricOptions metrics;  // also --otlp-json

    // Declares --otlp and those of MetricOptions; `what`: "statement". `values`: what
    // --show-values shows, or "" if the tool does not have this option.
    void declare(run::Tool &tool, const std::string &what, const std::string &values = "");
    // Declares --trace-id, for tools that see traceparent. `what`: "request".
    void declare_trace_id(run::Tool &tool, const std::string &what);
    Result<> check() const;
    bool any() const { return !target.empty(); }
};

// Collects spans in batches, and sends or writes them.
class SpanExporter {
  public:
    SpanExporter(run::Tool &tool, const SpanOptions &options);

    // Batches are sent each second, or when they are large. Losses are reported each second.
    Result<> start(run::Loop &loop);
    void add(const Span &span, const Attributes &attributes);
    // Sends the rest, waits some seconds for the collector, and reports losses.
    void end();

  private:
    Resource &resource_of(const Span &span);
    void flush();

    OtlpOutput output_;
    SpanEncoder encoder_;
    ProcessResources processes_;
    std::vector<Resource> resources_;
    std::map<uint32_t, size_t> resource_of_;  // by process
    uint64_t spans_ = 0, bytes_ = 0;          // of the batch
    uint64_t last_bytes_ = 0;                 // of the one before
};

template <class Row>
class Spans {
  public:
    using SpanOf = std::function<Span(const Row &)>;

    // Keeps those of the fields that are attributes. Everything that they and `span_of` refer to
    // must outlive this object.
    Spans(run::Tool &tool, const SpanOptions &options, std::vector<output::Field<Row>> fields,
          SpanOf span_of)
        : span_of_(std::move(span_of))
    {
        if (options.any())
            exporter_ = std::make_unique<SpanExporter>(tool, options);
        if (options.metrics.any())
            metrics_ = std::make_unique<SpanMetrics>(tool, options.metrics);
        if (!exporter_ && !metrics_)
            return;
        for (auto &field : fields) {
            if (field.exported_as.empty())
                continue;
            attributes_.emplace_back(std::move(field.exported_as), output::Cell());
            values_.push_back(std::move(field.value));
        }
    }

    Result<> start(run::Loop &loop)
    {
        if (exporter_)
            TRY(exporter_->start(loop));
        return metrics_ ? metrics_->start(loop) : Result<>();
    }
    void add(const Row &row)
    {
        if (!exporter_ && !metrics_)
            return;
        for (size_t i = 0; i < values_.size(); i++)
            attributes_[i].second = values_[i](row);
        Span span = span_of_(row);
        if (exporter_)
            exporter_->add(span, attributes_);
        if (metrics_)
            metrics_->add(span, attributes_);
    }
    void end()
    {
        if (exporter_)
            exporter_->end();
        if (metrics_)
            metrics_->end();
    }

  private:
    SpanOf span_of_;
    std::unique_ptr<SpanExporter> exporter_;
    std::unique_ptr<SpanMetrics> metrics_;
    std::vector<std::function<output::Cell(const Row &)>> values_;
    Attributes attributes_;
};

}  // namespace uscope::telemetry
