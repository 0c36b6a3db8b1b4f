// Batches, resources, and where they go.
#include "telemetry/spans.h"

#include <utility>

#include "base/format.h"
#include "run/loop.h"
#include "run/tool.h"

namespace uscope::telemetry {
namespace {

constexpr uint64_t max_batch_spans = 4096, max_batch_bytes = 1 << 20;
constexpr unsigned flush_ms = 1000;

}  // namespace

void SpanOptions::declare(run::Tool &tool, const std::string &what, const std::string &values_help)
{
    tool.group("Export");
    tool.option(0, "otlp", target, "URL|FILE",
                fmt::format("send a span of OpenTelemetry for each {} to a collector "
                            "(http://localhost:4318), or write them to a file",
                            what));
    tool.flag(0, "otlp-json", metrics.json, "send JSON instead of protobuf");
    metrics.declare_options(tool, "durations as histograms");
    if (!values_help.empty())
        tool.flag(0, "show-values", values, values_help);
}

void SpanOptions::declare_trace_id(run::Tool &tool, const std::string &what)
{
    tool.flag(0, "trace-id", trace_id,
              fmt::format("add a column with the id of the trace to which a {} belongs", what));
}

Result<> SpanOptions::check() const
{
    if (!any() && values)
        return fail_usage("--show-values needs --otlp");
    if (!any() && metrics.json && metrics.otlp.empty())
        return fail_usage("--otlp-json needs --otlp or --otlp-metrics");
    if (any())
        TRY(OtlpOutput::check(trace_names, target));
    return metrics.check(true);
}

SpanExporter::SpanExporter(run::Tool &tool, const SpanOptions &options)
    : output_(tool, trace_names, options.target, options.metrics.json), encoder_(output_.form())
{
}

Result<> SpanExporter::start(run::Loop &loop)
{
    TRY(output_.open());
    return loop.every(flush_ms, [this] {
        flush();
        output_.report();
    });
}

// The attributes are read again for each batch, so a process that ended does not give its name to
// a later one with its number.
Resource &SpanExporter::resource_of(const Span &span)
{
    auto [entry, is_new] = resource_of_.try_emplace(span.tgid, resources_.size());
    if (is_new)
        resources_.push_back({processes_.of(span.tgid, span.comm), {}});
    if (resources_.size() == 1 && is_new)
        resources_[0].items.reserve(last_bytes_);
    return resources_[entry->second];
}

void SpanExporter::add(const Span &span, const Attributes &attributes)
{
    Resource &resource = resource_of(span);
    size_t before = resource.items.size();
    encoder_.add(resource.items, span, attributes);
    bytes_ += resource.items.size() - before;
    spans_++;
    if (spans_ >= max_batch_spans || bytes_ >= max_batch_bytes)
        flush();
}

void SpanExporter::flush()
{
    if (!spans_)
        return;
    Batch batch = {encode_request(output_.form(), Signal::Traces, resources_), spans_};
    resources_.clear();
    resource_of_.clear();
    last_bytes_ = std::exchange(bytes_, 0);
    spans_ = 0;
    output_.put(std::move(batch));
}

void SpanExporter::end()
{
    flush();
    output_.end();
}

}  // namespace uscope::telemetry
