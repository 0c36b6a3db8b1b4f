// The processes of all languages, and what they do: for ustat.
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

// The processes with a runtime, and the probes in their files: loaded once for all processes of a file, placed in each.
class Activities {
  public:
    struct Options {
        const lang::Language *wanted = nullptr;  // null: all
        bool unsafe = false;
        // Is handed what a process does not tell, why, and what to do: each sentence once.
        std::function<void(const std::string &)> note = [](const std::string &) {};
        // Is handed the probes of a file before they are attached. False: do not attach them.
        std::function<bool(const probe::ProbeSet &)> on_probes = [](const probe::ProbeSet &) {
            return true;
        };
    };
    struct Kernel {
        const probe::KernelMaps &maps;
        std::map<std::string, attach::Template> templates;  // by their functions
        int table;                                          // of struct activity_totals, by process
    };
    // What a program remembers of a call: the time, and where it returns to.
    static constexpr uint32_t call_bytes = 16;

    Activities(run::Tool &tool, const run::Processes &processes, Options options, Kernel kernel);

    // With -F, before the others: only the tree's processes are looked at. It outlives this.
    void follow(const run::ForkFollower &follower) { tree_.start(follower); }
    // Those that run now. Errors: what -p names cannot be examined.
    Result<> find();
    // The same, and those that start from now on, or load a runtime.
    Result<> listen(run::Loop &loop);
    // What was known too early, shortly after a start, is looked at again.
    void refresh();
    void detach() { placements_.detach(); }

    // Totals since the start, also of processes that have ended since the last time.
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
    probe::Placements placements_;  // after the sets: it lets go of them
    run::NewProcesses arrivals_;
};

}  // namespace uscope::runtimes
