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

// The option --skip-missing, for tools that take several probes.
struct SkipMissing {
    bool is_wanted = false;

    void declare(run::Tool &tool);
    // Makes the build skip probes without a site. The tool prints a note for each skipped probe,
    // and in JSON also writes {"type":"missing","time_ns":…,"probe":"c:opne","reason":…}.
    void apply(run::Tool &tool, BuildOptions &build) const;
};

// Declares --force-return and --unsafe, for tools that may trace returns.
void declare_returns(run::Tool &tool, run::Processes &processes);

// Declares the options of tools whose probes name functions of programs: those for debug files
// (probe/debuginfod.h), --force-path, --force-return and --unsafe.
void declare_functions(run::Tool &tool, run::Processes &processes);

// Returns the build options for the running kernel and the selected processes.
BuildOptions build_options(const run::Processes &processes);

// Returns "3 of 20 functions cannot be probed: 2 are indirect, 1 …", or "" if there are no
// refusals. `probed`: the number of functions that can be probed, here 17.
std::string describe_refusals(const resolve::Refusals &refusals, size_t probed);

// Prints the plan for --dry-run or -v. Returns true for --dry-run: the tool is done.
bool print_plan(run::Tool &tool, const ProbeSet &probes);

// Prints notes: how many functions cannot be probed; how probes at returns slow or harm the
// programs; which arguments may be Go strings; and, if processes that start later are traced, which
// files were replaced (note_replaced()). In JSON, functions that cannot be probed are
// {"type":"refused","time_ns":…,"count":3,"reasons":{"are indirect (IFUNC)":2,…}}.
void note_limits(run::Tool &tool, const ProbeSet &probes, const run::Processes &processes);

// Prints notes for functions that the user named: which other functions have the same code, which
// other symbol versions are not traced, and which functions share the name.
void note_names(run::Tool &tool, const ProbeSet &probes);

// Calls note_limits(), note_names() and print_plan().
bool show_plan(run::Tool &tool, const ProbeSet &probes, const run::Processes &processes);

// For probes that are attached to all processes: prints a note with the processes that still run an
// older file, which `file` has replaced on disk; and at the end a note if another file has replaced
// `file` meanwhile. `seen`: processes that the note omits, because the files that they run have
// probes.
void note_replaced(run::Tool &tool, const proc::FoundFile &file,
                   const std::vector<pid_t> &seen = {});

// Call after attaching: prints notes about functions that got no probe, and about selected
// processes that run another copy of a file, which has no probes (probe/overlay.h).
void note_left_out(run::Tool &tool, const ProbeSet &probes);

// Prints notes with the number of calls that had no visible return or ended in a tail call, in JSON
// as {"type":"calls","time_ns":…,"left_otherwise":160,"tail_called":0,"open":2}. Returns whether
// there were any calls.
bool note_call_ends(run::Tool &tool, const CallEnds &ends);

}  // namespace uscope::probe
