// Runs a tool whose programs count in the kernel, and which shows the counts at intervals. The
// steps of such a tool:
//
//   1. The tool opens its object, and sets constants and the sizes of its own maps.
//   2. The maps that all programs share get their sizes. Templates that no probe needs are left out.
//   3. The object is loaded.
//   4. CountRun::open(): the tool creates its tables, and checks the files that it will write.
//      An error up to here has changed nothing in the traced processes.
//   5. The probes are loaded and attached. A note names the sites that got no probe. Then begin().
//   6. The tool announces on standard error what it traces.
//   7. At each interval and at the end: show(), then a report of the losses.
//   8. The destructors detach the probes.
//
// probe/events.h has the corresponding steps for tools that show single events.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <bpf/libbpf.h>

#include "base/result.h"
#include "probe/kernel_maps.h"
#include "probe/lost_counts.h"
#include "probe/set.h"
#include "run/interval.h"
#include "run/processes.h"
#include "stacks/counted_stacks.h"

namespace uscope::probe {

// The arguments of run_counts(): what differs between such tools.
struct CountRun {
    const run::Processes &processes;
    run::Intervals &intervals;
    std::string what;  // what is traced, for the announcement: count_functions(), …
    // Arguments of lost_counts(), which reports the losses if the object has the map table_lost.
    // Without that map, show() has to report them.
    std::string events = "events", full = {};
    std::function<Result<>()> open = {};
    // Returns the descriptor of the map in which a program counts.
    std::function<int(const Program &)> table;
    std::function<Result<>()> begin = {};
    std::function<Result<>(run::Loop &)> listen = {};  // adds descriptors to the loop
    std::function<Result<>()> show;
    stacks::CountedStacks *stacks = nullptr;  // the stacks that show() names; null: none
};

// Steps 4 to 7.
Result<CallEnds> run_loaded(run::Tool &tool, const KernelMaps &maps, ProbeSet &probes,
                            run::Losses losses, const CountRun &run);

// Steps 2 to 7. Returns how calls ended, if the programs trace returns.
template <class Object>
Result<CallEnds> run_counts(run::Tool &tool, Object &object, ProbeSet &probes, const CountRun &run)
{
    KernelMaps maps(object);
    TRY(maps.prepare(probes, run.processes));
    TRY(object.load());
    run::Losses losses;
    if constexpr (requires { object->maps.table_lost; })
        losses = lost_counts(bpf_map__fd(object->maps.table_lost), run.events, run.full);
    return run_loaded(tool, maps, probes, std::move(losses), run);
}

}  // namespace uscope::probe
