// Options, build options and notes that all tools with probes on their command line share.
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

struct CallEnds;

// Declares --force-path, for tools with user-space probes.
void declare_path(run::Tool &tool);

// --skip-missing, for tools that take several probes.
struct SkipMissing {
    bool is_wanted = false;

    void declare(run::Tool &tool);
    // Makes the build skip probes without a site. The tool notes each skipped probe, and in JSON
    // also writes {"type":"missing","time_ns":…,"probe":"c:opne","reason":…}.
    void apply(run::Tool &tool, BuildOptions &build) const;
};

// Declares --force-return and --unsafe, for tools that may trace returns.
void declare_returns(run::Tool &tool);

// Returns the build options for the running kernel and the selected processes.
BuildOptions build_options(const run::Processes &processes);

// "3 of 20 functions cannot be probed: 2 are indirect, 1 …"; "" if there are no refusals. `probed`:
// the number of functions that can be probed.
std::string describe_refusals(const resolve::Refusals &refusals, size_t probed);

// Prints the plan for --dry-run or -v. Returns true for --dry-run: the tool is done.
bool print_plan(run::Tool &tool, const ProbeSet &probes);

// Notes how many functions cannot be probed, how probes at returns slow or harm the programs, which
// arguments may be Go strings and, for probes of later processes, replaced files (note_replaced()).
// In JSON, refused functions are
// {"type":"refused","time_ns":…,"count":3,"reasons":{"are indirect (IFUNC)":2,…}}.
void note_limits(run::Tool &tool, const ProbeSet &probes, const run::Processes &processes);

// For functions that the user named: notes which other functions have the same code, which other
// symbol versions are not traced, and which functions share the name.
void note_names(run::Tool &tool, const ProbeSet &probes);

// note_limits(), note_names() and print_plan().
bool show_plan(run::Tool &tool, const ProbeSet &probes, const run::Processes &processes);

// For probes of all processes: notes which processes still run a file that `file` has replaced on
// disk and, at the end, whether another file has replaced `file` meanwhile. `seen`: processes to
// leave out, because the files that they run have probes.
void note_replaced(run::Tool &tool, const proc::FoundFile &file,
                   const std::vector<pid_t> &seen = {});

// Call after attaching: notes the functions that got no probe, and the selected processes that run
// another copy of a file, without probes.
void note_left_out(run::Tool &tool, const ProbeSet &probes);

// Notes how many calls had no visible return or ended in a tail call, in JSON as
// {"type":"calls","time_ns":…,"left_otherwise":160,"tail_called":0,"open":2}. Returns whether there
// were any calls.
bool note_call_ends(run::Tool &tool, const CallEnds &ends);

}  // namespace uscope::probe
