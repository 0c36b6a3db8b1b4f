// Which processes a tool traces: the options for this, which all tools share, and the filters that
// follow from them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

#include "attach/links.h"
#include "base/result.h"
#include "expr/process_filter.h"
#include "resolve/return_policy.h"
#include "run/workload_filter.h"

struct bpf_map;
struct bpf_program;

namespace uscope::run {

class Tool;

// The kernel side follows forks as long as this object exists.
struct ForkFollower {
    ForkFollower();
    ForkFollower(ForkFollower &&) noexcept;
    ~ForkFollower();

    attach::Links links;
    int targets = -1;  // descriptor of the map of followed processes; -1: without -F
    int lost = -1;     // descriptor of a map with the number of processes that did not fit into it
    // If the tool traces a single process: the descriptor of the ring buffer in which the kernel
    // side reports that the process has lost its probes (bpf/lib/follow.bpf.h), and a function that
    // attaches them again; null: the tool cannot do that.
    int execs = -1;
    std::function<Result<>()> attach_again = {};
    std::shared_ptr<CgroupFilter> cgroups = {};  // null: no --container, --pod, --unit

    bool includes(pid_t pid) const;  // false without -F
};

// The processes that are traced because of -F, for a tool that examines each process as it starts.
// The map ForkFollower::targets is not enough for such a tool: the kernel side removes a process
// from it before the tool reads that the process has ended.
class FollowedTree {
  public:
    // `follower` must outlive this object.
    void start(const ForkFollower &follower) { follower_ = &follower; }
    bool includes(pid_t pid) const  // false without -F
    {
        return forked_.contains(pid) || (follower_ && follower_->includes(pid));
    }
    void forked(pid_t child, pid_t parent)
    {
        if (includes(parent))
            forked_.insert(child);
    }
    void ended(pid_t pid) { forked_.erase(pid); }

  private:
    const ForkFollower *follower_ = nullptr;
    std::set<pid_t> forked_;
};

// The processes whose end ends the run (run/target_watch.h).
struct Targets {
    std::vector<pid_t> pids = {};
    int targets = -1, lost = -1, execs = -1;  // as in ForkFollower
    std::function<Result<>()> attach_again = {};
    std::shared_ptr<CgroupFilter> cgroups = {};
};

// The programs, maps and constants of bpf/lib/follow.bpf.h.
struct FollowParts {
    bpf_program *newtask, *free, *exec;
    bpf_map *targets, *lost, *execs, *cgroups;
    uint32_t *child_at, *flags_at, *ended_at;  // constants of the programs: offsets of fields
    uint32_t *only;
    uint64_t *pidns_device, *pidns_inode;
};

template <class Object>
FollowParts follow_parts(Object &object)
{
    auto *constants = object->rodata;
    return {.newtask = object->progs.follow_newtask,
            .free = object->progs.follow_free,
            .exec = object->progs.follow_exec,
            .targets = object->maps.follow_targets,
            .lost = object->maps.follow_lost,
            .execs = object->maps.follow_execs,
            .cgroups = object->maps.follow_cgroups,
            .child_at = &constants->follow_child_at,
            .flags_at = &constants->follow_flags_at,
            .ended_at = &constants->follow_ended_at,
            .only = &constants->follow_only,
            .pidns_device = reinterpret_cast<uint64_t *>(&constants->follow_pidns_device),
            .pidns_inode = reinterpret_cast<uint64_t *>(&constants->follow_pidns_inode)};
}

struct Processes {
    std::vector<pid_t> pids;  // -p, which may be repeated
    std::vector<std::string> comms;
    std::optional<pid_t> tid;
    std::optional<unsigned> uid;
    std::string cgroup;        // a directory of a cgroup-v2 file system
    WorkloadFilter workloads;  // --container, --pod, --unit
    bool show_container = false;
    bool follow_forks = false;  // -F: also all descendants of `pids`, running and future ones
    // For tools that do not read processes' files: -p may name a process that does not exist yet.
    // Then the run does not end with the processes of -p.
    bool may_be_missing = false;
    resolve::ReturnPolicy returns;  // how returns of their functions may be traced

    // `tid_name`, `forks_name`: one-letter names of --tid and --follow-forks; 0: none.
    void declare(Tool &tool, char tid_name = 'L', char forks_name = 'F');

    // Declares --cgroup-path, --container, --pod and --unit. `name`: the one-letter name of
    // --cgroup-path, or 0.
    void declare_cgroup(Tool &tool, char name = 0, std::string names = "cgroup-path");

    // For tools whose rows have a process: begins the group "What is shown" of options and declares
    // --show-container. If rows have a process only with another option (`name`), `needed` is its
    // value.
    void begin_shown(Tool &tool, const bool *needed = nullptr, std::string_view name = {});

    // Errors: a process or thread does not exist, the directory is not a cgroup's, or options
    // conflict. In a container, prints a note that processes outside of it have no ids. If the
    // containers of --container have no cgroups that programs can look up, sets `pids` to their
    // processes.
    Result<> check();
    // Returns the processes in whose view files are looked up by name: those of -p, that of the
    // thread of -L, and those that have a name of --comm now; without these options, those that are
    // now in the containers, pods and units.
    std::vector<pid_t> for_lookup() const;
    // Did the user name processes, by -p, -L or --comm?
    bool any_named() const { return !pids.empty() || tid || !comms.empty(); }
    // Does the tool trace processes that start later, other than descendants of -F?
    bool any_later() const { return pids.empty() && !tid; }
    // Does the tool trace this process, judged by its name, its id and its container? Returns false
    // for descendants of -F.
    bool includes(pid_t pid) const;
    // Returns the only traced process; 0 if there are several, or if they are not known. It is for
    // the kernel's own filter, which does not slow down other processes.
    pid_t only() const;
    // Returns the processes to each of which probes are attached; {0}: probes are attached to all
    // processes, because traced processes may start later.
    std::vector<pid_t> each() const;
    // Returns what the BPF programs have to check. `kernel_filters`: they need not check the
    // process if it is the only one, because the kernel itself filters by only().
    expr::ProcessFilter filter(bool kernel_filters) const;
    // Set up the kernel side to follow forks (-F). Call prepare() before the object is loaded, and
    // start() when it is loaded but before the probes are attached.
    Result<> prepare(const FollowParts &parts) const;
    Result<ForkFollower> start(const FollowParts &parts) const;
    // Makes the kernel side report when the only traced process loses its probes. That happens when
    // a thread other than its main thread executes a program.
    Result<> watch_execs(const FollowParts &parts, ForkFollower &follower) const;
    // Puts the cgroup of --cgroup-path into `map`, an array of cgroups with one entry.
    Result<> fill_cgroup(const bpf_map *map) const;

    Targets targets(const ForkFollower &follower) const;

    // Are there filters that only the kernel side can check, at each event?
    bool any_kernel_filter() const
    {
        return !comms.empty() || tid || uid || !cgroup.empty() || workloads.any();
    }
    bool empty() const { return pids.empty() && !any_kernel_filter(); }

  private:
    Result<> check_workloads();

    Tool *tool_ = nullptr;
    char tid_name_ = 'L';
    const bool *needed_to_show_ = nullptr;
    std::string_view needed_name_;
    std::shared_ptr<CgroupFilter> cgroups_ = {};  // null: programs look no cgroup up
};

}  // namespace uscope::run
