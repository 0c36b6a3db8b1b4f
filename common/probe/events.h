// Runs a tool that shows single events, with bpf/shared/events.bpf.c: loads and attaches the
// probes, and passes each event to the tool.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "output/printf.h"
#include "probe/set.h"
#include "run/event_options.h"
#include "run/processes.h"
#include "run/tool.h"
#include "symbols/process_history.h"

namespace uscope::probe {

struct Event {
    const ProbeRequest &probe;
    uint64_t ts_ns;  // CLOCK_MONOTONIC
    pid_t tgid, tid;
    std::string_view comm;
    const std::vector<output::Value> &values;  // as ProbeRequest::values
};

// The output of programs with bpf/shared/events.bpf.c, for ProbeRequest::event_output.
EventOutput record_output();

struct EventRun {
    const run::EventOptions &options;
    std::string what;             // is traced (Tool::ready())
    uint32_t string_bytes = 80;   // as in BuildOptions
    std::function<void()> begin;  // called when everything is attached
    std::function<void(const Event &)> on_event;
    // Optional: has to be watching; learns what processes did before on_event() gets their events.
    symbols::ProcessHistory *history = nullptr;
};

// Runs until a signal, the end of the duration, or the end of all traced processes, in the order of
// steps of probe/counts.h.
Result<> run_events(run::Tool &tool, const run::Processes &processes, ProbeSet &probes,
                    const EventRun &run);

}  // namespace uscope::probe
