// --prometheus and --otlp-metrics: what a tool counts, in a file for node_exporter's textfile
// collector, for scrapes of a port, or sent to a collector.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "telemetry/metric_server.h"
#include "telemetry/metric_store.h"
#include "telemetry/metric_text.h"
#include "telemetry/otlp_output.h"
#include "telemetry/process_resources.h"

namespace uscope::run {
class Loop;
class Tool;
}  // namespace uscope::run

namespace uscope::telemetry {

struct MetricOptions {
    std::string prometheus;  // a file, ":PORT", "ADDRESS:PORT" or "@SOCKET"; "": none
    std::string otlp;        // a URL, "env" or a file; "": none
    bool json = false;       // --otlp-json
    uint64_t max_series = 1000;
    TextForm form = TextForm::Prometheus;  // of the file

    // Declares the group of options. `what`: "durations as histograms".
    void declare(run::Tool &tool, const std::string &what);
    // The options without the group's title, for SpanOptions.
    void declare_options(run::Tool &tool, const std::string &what);
    // `has_spans`: --otlp-json also belongs to --otlp.
    Result<> check(bool has_spans = false) const;
    // The same for tools whose keys may have stacks.
    Result<> check_keys(bool have_stacks) const;
    bool any() const { return !prometheus.empty() || !otlp.empty(); }
};

// Does nothing if no option is given.
class Metrics {
  public:
    Metrics(run::Tool &tool, const MetricOptions &options);

    bool any() const { return options_.any(); }
    MetricStore &store() { return store_; }
    ProcessResources &resources() { return resources_; }

    // `collect`: adds what is new, before metrics are written, scraped or sent. The file is written
    // and the metrics are sent each 10 seconds and at the end.
    using Collect = std::function<Result<>()>;
    Result<> start(run::Loop &loop, Collect collect = {});
    // Writes the file now. Nothing if there is none.
    void write_file();
    void end();

  private:
    void collect();
    void send();

    run::Tool &tool_;
    const MetricOptions &options_;
    MetricStore store_;
    ProcessResources resources_;
    Collect collect_;
    MetricServer server_;
    std::unique_ptr<OtlpOutput> output_;  // null: none
    uint64_t start_ns_;                   // since 1970
    bool is_listening_ = false, has_failed_ = false, has_noted_others_ = false;
};

}  // namespace uscope::telemetry
