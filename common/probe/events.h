// Runs a tool that shows single events, with bpf/shared/events.bpf.c: loads and attaches the
// probes, and passes each event to the tool.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/object.h"
#include "output/printf.h"
#include "probe/set.h"
#include "run/event_options.h"
#include "run/processes.h"
#include "run/tool.h"
#include "symbols/process_history.h"

struct events_bpf;

namespace uscope::probe {

struct Event {
    const ProbeRequest &probe;
    uint64_t ts_ns;   // CLOCK_MONOTONIC
    pid_t tgid, tid;  // the process and the thread
    std::string_view comm;
    const std::vector<output::Value> &values;  // as ProbeRequest::values
};

// Returns the ProbeRequest::event_output of probes whose programs use bpf/shared/events.bpf.c.
expr::EventOutput record_output();

// Opens bpf/shared/events.bpf.c with a ring buffer of `buffer_bytes`, a power of two. The caller
// loads it. Its records contain stacks only if the caller requests them in event_config.
Result<kernel::Object<events_bpf>> open_events(const run::Processes &processes,
                                               uint32_t buffer_bytes);

struct EventRun {
    const run::EventOptions &options;
    std::string what;             // what is traced, for Tool::ready()
    uint32_t string_bytes = 80;   // as in BuildOptions
    std::function<void()> begin;  // called when everything is attached
    std::function<void(const Event &)> on_event;
    // Optional: a history that watches processes. It is brought up to date before on_event() gets
    // events, so it knows all that a process did before its event.
    symbols::ProcessHistory *history = nullptr;
};

// Traces until a signal arrives, the duration has passed, or all traced processes have ended.
// probe/counts.h lists the steps.
Result<> run_events(run::Tool &tool, const run::Processes &processes, ProbeSet &probes,
                    const EventRun &run);

}  // namespace uscope::probe
