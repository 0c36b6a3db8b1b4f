// A run of a tool that shows events one by one, by bpf/events.bpf.c:
// loads, attaches, and hands over what each event tells.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "output/printf.h"
#include "probe/set.h"
#include "run/event_options.h"
#include "run/processes.h"
#include "run/tool.h"
#include "stack/process_history.h"

namespace uscope::probe {

struct Event {
    const ProbeRequest &probe;
    uint64_t ts_ns;  // CLOCK_MONOTONIC
    pid_t tgid, tid;
    std::string_view comm;
    const std::vector<output::Value> &values;  // as ProbeRequest::values
};

// What the probes' programs deliver, for ProbeRequest::event_output.
EventOutput event_delivery();

struct EventRun {
    const run::EventOptions &options;
    uint32_t string_bytes = 80;   // as in BuildOptions
    std::function<void()> begin;  // everything is attached
    std::function<void(const Event &)> on_event;
    stack::ProcessHistory *history =
        nullptr;  // that watches: learns what processes did before their events are handed over
};

// Targets a signal, the end of the time, or of all processes.
Result<> run_events(run::Tool &tool, const run::Processes &processes, ProbeSet &probes,
                    const EventRun &run);

}  // namespace uscope::probe
