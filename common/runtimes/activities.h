// Follows the processes of all languages and counts their calls, collections, allocations and other
// events, for ustat.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "lang/activity.h"
#include "lang/runtime.h"
#include "probe/traced_files.h"

namespace uscope::runtimes {

// The processes with a runtime, and the probes on their files.
class Activities {
  public:
    struct Options {
        const lang::Language *wanted = nullptr;  // null: all
        bool unsafe = false;
    };
    struct Kernel {
        const probe::KernelMaps &maps;
        int table;  // map: process -> activity_totals
    };

    // If the tool is verbose, prints notes: what processes do not report, why, and what to do.
    Activities(run::Tool &tool, const run::Processes &processes, Options options);

    // Call before the object is loaded.
    Result<> prepare(const probe::KernelMaps &maps) const { return traced_.prepare(maps); }
    // Examines the running processes and prints their probes, for --dry-run. Errors: a process
    // named by -p cannot be examined.
    Result<> find();
    // Call after the object is loaded: counts what the running processes do, and each process that
    // starts or loads a runtime from now on. `follower`: with -F, limits this to the processes of
    // its tree; it outlives this object. Errors: those of find().
    Result<> listen(run::Loop &loop, Kernel kernel, const run::ForkFollower &follower);
    // Examines again the processes that were examined right after their start, when they may not
    // have set up everything.
    void refresh();

    // Totals since the start, including processes that have ended since the last call.
    Result<std::vector<lang::Activity>> take();

  private:
    struct Known {
        std::string language, command;
        unsigned reported = 0;
    };
    probe::TracedFiles::Options traced_options();
    lang::Availability availability_of(const lang::Runtime &runtime, lang::Event event);
    bool is_new(const lang::Runtime &runtime, const spec::Probe &probe);
    Result<> examine(pid_t pid);
    void try_to_examine(pid_t pid);
    Result<> add(const lang::Runtime &runtime, std::vector<probe::ProbeRequest> parsed);
    proc::FileId id_of(const lang::Runtime &runtime);
    void forked(pid_t child, pid_t parent);
    bool is_wanted(pid_t pid) const;
    void forget_ended(pid_t pid);
    void found(pid_t pid, bool has_started);
    void report(const std::string &note);

    run::Tool &tool_;
    const run::Processes &processes_;
    Options options_;
    int table_ = -1;
    lang::Files files_;
    std::map<std::string, proc::FileId> ids_;
    std::map<pid_t, Known> known_;
    std::set<pid_t> ended_, young_;
    std::set<std::string> attached_, reported_;
    probe::TracedFiles traced_;
};

}  // namespace uscope::runtimes
