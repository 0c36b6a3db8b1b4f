// Follows the processes of all languages and counts their calls, collections, allocations and other
// events, for ustat.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "lang/activity.h"
#include "lang/runtime.h"
#include "probe/build_options.h"
#include "probe/kernel_maps.h"
#include "probe/placements.h"
#include "probe/set.h"
#include "run/new_processes.h"
#include "run/processes.h"

namespace uscope::runtimes {

// The processes with a runtime, and the probes on their files. The programs are loaded once per
// file and attached to each process.
class Activities {
  public:
    struct Options {
        const lang::Language *wanted = nullptr;  // null: all
        bool unsafe = false;
        // Called once with each note: what a process does not report, why, and what to do.
        std::function<void(const std::string &)> note = [](const std::string &) {};
        // Called with the probes of a file before they are attached. Returns false to skip them.
        std::function<bool(const probe::ProbeSet &)> on_probes = [](const probe::ProbeSet &) {
            return true;
        };
    };
    struct Kernel {
        const probe::KernelMaps &maps;
        int table;  // map: process -> activity_totals
    };
    // Bytes that a program keeps per call: the time and the return address.
    static constexpr uint32_t call_bytes = 16;

    Activities(run::Tool &tool, const run::Processes &processes, Options options, Kernel kernel);

    // With -F, call this first: the object then examines only processes of the follower's tree.
    // `follower` must outlive this object.
    void follow(const run::ForkFollower &follower) { tree_.start(follower); }
    // Examines the running processes. Errors: a process named by -p cannot be examined.
    Result<> find();
    // Like find(), but from now on also examines each process that starts or loads a runtime.
    Result<> listen(run::Loop &loop);
    // Examines again the processes that were examined right after their start, when they may not
    // have set up everything.
    void refresh();
    void detach() { placements_.detach(); }

    // Totals since the start, including processes that have ended since the last call.
    Result<std::vector<lang::Activity>> take();

  private:
    struct Known {
        std::string language, command;
        unsigned reported = 0;
    };
    lang::Availability availability_of(const lang::Runtime &runtime, lang::Event event);
    bool is_new(const lang::Runtime &runtime, const spec::Probe &probe);
    Result<> examine(pid_t pid);
    void try_to_examine(pid_t pid);
    Result<> load(const std::string &file, std::vector<probe::ProbeRequest> parsed);
    void forked(pid_t child, pid_t parent);
    bool is_wanted(pid_t pid) const;
    void found(pid_t pid, bool has_started);
    void report(const std::string &note);

    const run::Processes &processes_;
    run::FollowedTree tree_;
    Options options_;
    Kernel kernel_;
    probe::BuildOptions build_;
    lang::Files files_;
    std::map<pid_t, Known> known_;
    std::set<pid_t> ended_, young_;
    std::set<std::string> attached_, reported_;
    std::map<std::string, std::vector<std::unique_ptr<probe::ProbeSet>>> sets_;  // by their file
    probe::Placements placements_;  // after the sets, to be destroyed before them
    run::NewProcesses arrivals_;
};

}  // namespace uscope::runtimes
