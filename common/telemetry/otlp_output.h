// Where requests of OTLP go: to a collector, or as lines of JSON to a file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "telemetry/otlp.h"
#include "telemetry/sender.h"

namespace uscope::run {
class Tool;
}

namespace uscope::telemetry {

// What a signal's URLs, variables and notes are called.
struct SignalNames {
    Signal signal;
    const char *option;    // "--otlp"
    const char *path;      // "/v1/traces"
    const char *variable;  // "TRACES", for OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
    const char *items;     // "spans"
};
extern const SignalNames trace_names, metric_names;

class OtlpOutput {
  public:
    // `target`: a URL, "env", or a file.
    OtlpOutput(run::Tool &tool, const SignalNames &names, const std::string &target, bool json);

    static Result<> check(const SignalNames &names, const std::string &target);

    Form form() const { return json_ || !is_sent() ? Form::Json : Form::Protobuf; }
    Result<> open();
    void put(Batch batch);
    // Reports losses and problems since the last call.
    void report();
    // Waits some seconds for the collector, and reports.
    void end();

  private:
    bool is_sent() const;  // to a collector
    Result<> open_sender();
    void write(Batch batch);

    run::Tool &tool_;
    const SignalNames &names_;
    const std::string &target_;
    bool json_;
    std::unique_ptr<Sender> sender_;  // null: to the file
    Fd file_;
    SenderReport file_report_;
    uint64_t written_ = 0;
    std::string url_;
    bool has_noted_problem_ = false;
};

}  // namespace uscope::telemetry
