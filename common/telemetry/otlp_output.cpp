// Opens the collector or the file, and reports what was lost.
#include "telemetry/otlp_output.h"

#include <utility>

#include <unistd.h>

#include "base/format.h"
#include "output/amount.h"
#include "output/file.h"
#include "run/losses.h"
#include "run/tool.h"

namespace uscope::telemetry {
namespace {

constexpr uint64_t end_wait_ns = 5'000'000'000;
constexpr std::string_view by_environment = "env";

bool is_collector(const std::string &target)
{
    return is_url(target) || target == by_environment;
}

}  // namespace

const SignalNames trace_names = {Signal::Traces, "--otlp", "/v1/traces", "TRACES", "spans"};
const SignalNames metric_names = {Signal::Metrics, "--otlp-metrics", "/v1/metrics", "METRICS",
                                  "metric points"};

OtlpOutput::OtlpOutput(run::Tool &tool, const SignalNames &names, const std::string &target,
                       bool json)
    : tool_(tool), names_(names), target_(target), json_(json)
{
}

Result<> OtlpOutput::check(const SignalNames &names, const std::string &target)
{
    if (is_url(target))
        TRY(parse_endpoint(target, names.path));
    else if (!is_collector(target))
        return output::check_new_file(target, names.option);
    return {};
}

bool OtlpOutput::is_sent() const
{
    return is_collector(target_);
}

Result<> OtlpOutput::open_sender()
{
    Endpoint endpoint = target_ == by_environment
                            ? TRY(endpoint_of_environment(names_.variable, names_.path))
                            : TRY(parse_endpoint(target_, names_.path));
    url_ = endpoint.url();
    Pairs headers = TRY(headers_of_environment(names_.variable));
    headers.emplace_back("Content-Type", json_ ? "application/json" : "application/x-protobuf");
    sender_ = std::make_unique<Sender>(endpoint, std::move(headers));
    return sender_->start();
}

Result<> OtlpOutput::open()
{
    if (is_sent())
        return open_sender();
    file_ = TRY(TRY(output::NewFile::create(target_)).put());
    return {};
}

void OtlpOutput::put(Batch batch)
{
    if (!batch.items)
        return;
    if (sender_)
        sender_->offer(std::move(batch));
    else
        write(std::move(batch));
}

void OtlpOutput::write(Batch batch)
{
    batch.body += '\n';
    std::string_view rest = batch.body;
    while (!rest.empty()) {
        ssize_t count = ::write(file_.get(), rest.data(), rest.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0) {
            file_report_.lost[fmt::format("cannot write to {}: {}", target_, errno_text(errno))] +=
                batch.items;
            return;
        }
        rest.remove_prefix(size_t(count));
    }
    written_ += batch.items;
}

void OtlpOutput::report()
{
    SenderReport report =
        sender_ ? sender_->take_report() : std::exchange(file_report_, SenderReport());
    if (!report.problem.empty() && !std::exchange(has_noted_problem_, true))
        tool_.warn("cannot send {} to {}: {}", names_.items, url_, report.problem);
    for (const auto &[reason, count] : report.lost) {
        run::record_loss(tool_, count, names_.items, reason);
        tool_.warn("lost {} {}: {}", count, names_.items, reason);
    }
}

void OtlpOutput::end()
{
    bool has_ended = !sender_ || sender_->end(end_wait_ns);
    report();
    if (!tool_.quiet())
        tool_.note("{} {} to {}", sender_ ? "sent" : "wrote",
                   output::amount_text(sender_ ? sender_->sent() : written_, names_.items),
                   sender_ ? url_ : target_);
    if (!has_ended)  // its thread uses it until the process ends
        static_cast<void>(sender_.release());
}

}  // namespace uscope::telemetry
