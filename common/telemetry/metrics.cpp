// Options, and the times at which metrics are written and sent.
#include "telemetry/metrics.h"

#include <utility>

#include "base/format.h"
#include "output/clock.h"
#include "output/file.h"
#include "run/loop.h"
#include "run/tool.h"
#include "telemetry/otlp_metrics.h"

namespace uscope::telemetry {
namespace {

constexpr unsigned write_ms = 10'000;
constexpr uint64_t most_series = 100'000;

constexpr Metric tool_events = {"uscope.tool.events", Metric::Kind::Counter, Metric::Unit::None,
                                "Events that the tool has read from the kernel."};
constexpr Metric tool_losses = {"uscope.tool.lost", Metric::Kind::Counter, Metric::Unit::None,
                                "What the tool could not show or count, by reason."};

// What the tool says about itself.
void set_health(MetricStore &store, const run::Tool &tool)
{
    if (tool.events())
        store.set(tool_events, {}, *tool.events());
    for (const auto &[loss, count] : tool.losses())
        store.set(tool_losses, {{"what", loss.first}, {"reason", loss.second}}, count);
}

}  // namespace

void MetricOptions::declare(run::Tool &tool, const std::string &what)
{
    tool.group("Export");
    declare_options(tool, what);
    tool.flag(0, "otlp-json", json, "with --otlp-metrics: send JSON instead of protobuf");
}

void MetricOptions::declare_options(run::Tool &tool, const std::string &what)
{
    tool.option(0, "prometheus", prometheus, "FILE|[ADDRESS]:PORT|@SOCKET",
                fmt::format("write {} for node_exporter's textfile collector, or answer Prometheus "
                            "on this port or abstract unix socket",
                            what));
    tool.option(0, "otlp-metrics", otlp, "URL|FILE",
                "send the same metrics to a collector of OpenTelemetry (http://localhost:4318), or "
                "write them to a file");
    tool.option(0, "max-series", max_series, "N",
                "keep at most N sets of labels, and count the rest as \"other\" (default 1000)");
}

// Is the text rather a NAME:PORT or a wrong address than the name of a file?
static bool is_like_address(std::string_view text)
{
    size_t colon = text.rfind(':');
    return colon != text.npos && text.find('/') == text.npos &&
           text.find_first_not_of("0123456789", colon + 1) == text.npos;
}

Result<> MetricOptions::check(bool has_spans) const
{
    if (!has_spans && json && otlp.empty())
        return fail_usage("--otlp-json needs --otlp-metrics");
    if (max_series == 0)
        return fail_usage("--max-series 0 would keep nothing: give at least 1");
    if (max_series > most_series)
        return fail_usage("--max-series takes at most {}: each takes about 1 kB of memory",
                          most_series);
    if (!otlp.empty())
        TRY(OtlpOutput::check(metric_names, otlp));
    if (prometheus.empty() || listening_address(prometheus))
        return {};
    if (prometheus[0] == '@')
        return fail_usage(
            "--prometheus: the name of the socket {} has 1 to {} bytes; for a file, ./{}",
            prometheus, max_socket_name, prometheus);
    if (is_like_address(prometheus))
        return fail_usage(
            "--prometheus: {0} is not [ADDRESS]:PORT, such as 127.0.0.1:9464; for a file, ./{0}",
            prometheus);
    return output::check_new_file(prometheus, "--prometheus");
}

Result<> MetricOptions::check_keys(bool have_stacks) const
{
    if (any() && have_stacks)
        return fail_usage(
            "--prometheus and --otlp-metrics exclude -U and -K: stacks are no labels");
    return check();
}

Metrics::Metrics(run::Tool &tool, const MetricOptions &options)
    : tool_(tool),
      options_(options),
      store_(options.max_series),
      server_([this] {
          collect();
          return metric_text(store_);
      }),
      start_ns_(output::Clock::now_unix_ns())
{
    if (!options.otlp.empty())
        output_ = std::make_unique<OtlpOutput>(tool, metric_names, options.otlp, options.json);
}

Result<> Metrics::start(run::Loop &loop, Collect collect)
{
    if (!any())
        return {};
    collect_ = std::move(collect);
    if (output_)
        TRY(output_->open());
    if (auto address = listening_address(options_.prometheus)) {
        is_listening_ = true;
        TRY(server_.listen(loop, *address, options_.prometheus));
    }
    write_file();
    return loop.every(write_ms, [this] {
        this->collect();
        write_file();
        send();
    });
}

void Metrics::collect()
{
    resources_.forget();
    auto collected = collect_ ? collect_() : Result<>();
    set_health(store_, tool_);
    if (!collected && !std::exchange(has_failed_, true))
        tool_.warn("{}", collected.error().text);
}

void Metrics::write_file()
{
    if (store_.others() && !std::exchange(has_noted_others_, true))
        tool_.warn("more than {} sets of labels: the rest is counted as \"other\" (--max-series)",
                   options_.max_series);
    if (is_listening_ || options_.prometheus.empty())
        return;
    auto written = output::write_whole(options_.prometheus, metric_text(store_, options_.form));
    if (!written && !std::exchange(has_failed_, true))
        tool_.warn("{}", written.error().text);
}

void Metrics::send()
{
    if (!output_)
        return;
    auto resource = [this](const std::string &service) {
        return resources_.of_service(service.empty() ? "uscope" : service);
    };
    MetricRequest request =
        encode_metrics(output_->form(), store_, start_ns_, output::Clock::now_unix_ns(), resource);
    output_->put({std::move(request.body), request.points});
    output_->report();
}

void Metrics::end()
{
    if (!any())
        return;
    collect_ = {};
    set_health(store_, tool_);
    write_file();
    send();
    if (output_)
        output_->end();
    if (store_.others())
        tool_.warn("counted {} as \"other\": there were more than {} sets of labels (--max-series)",
                   store_.others(), options_.max_series);
}

}  // namespace uscope::telemetry
