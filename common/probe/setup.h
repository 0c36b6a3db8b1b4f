// What all tools with probes on their command line do before these are attached.
#pragma once

#include <string>

#include "base/result.h"
#include "probe/build_options.h"
#include "probe/set.h"

namespace uscope::proc {
struct FoundFile;
}
namespace uscope::run {
struct Processes;
class Tool;
}  // namespace uscope::run

namespace uscope::probe {

class KernelMaps;

// --force-path: of tools whose probes go into programs.
void declare_path(run::Tool &tool);

// --skip-missing: of tools that take several probes.
struct SkipMissing {
    bool is_wanted = false;

    void declare(run::Tool &tool);
    // Says which probes have no place, in JSON also as
    // {"type":"missing","time_ns":…,"probe":"c:opne","reason":…}.
    void apply(run::Tool &tool, BuildOptions &build) const;
};

// --force-return, --unsafe: of tools that may trace returns.
void declare_returns(run::Tool &tool);

// Builds for the running kernel, and for the processes that were asked for.
BuildOptions build_options(const run::Processes &processes);

// "3 of 20 functions cannot be probed: 2 are indirect, 1 …"; empty when there are none. `probed` are
// the others.
std::string describe_refusals(const resolve::Refusals &refusals, size_t probed);

// --dry-run and -v. True: that was all.
bool shows_plan(run::Tool &tool, const ProbeSet &probes);

// Says what the probes will not see, and what harm they can do. In JSON also
// {"type":"refused","time_ns":…,"count":3,"reasons":{"are indirect (IFUNC)":2,…}}, if there are such.
void note_limits(run::Tool &tool, const ProbeSet &probes, const run::Processes &processes);

// Of probes that a person named: what else is at their addresses by other names, and what other versions of them there are.
void note_names(run::Tool &tool, const ProbeSet &probes);

// Of probes that are meant for every process: says which processes run a file that this one has taken the place of; and at
// the end, whether another one has come in its place.
// `seen`: processes whose own files have probes.
void note_replaced(run::Tool &tool, const proc::FoundFile &file,
                   const std::vector<pid_t> &seen = {});

// Once they are attached: says which of them the kernel would not have.
void note_left_out(run::Tool &tool, const ProbeSet &probes);

// Says which calls have not been seen to return, in JSON as
// {"type":"calls","time_ns":…,"left_otherwise":160,"tail_called":0,"open":2}. True: there were calls.
Result<bool> note_call_ends(run::Tool &tool, const KernelMaps &maps);

}  // namespace uscope::probe
