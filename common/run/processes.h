// Which processes a tool looks at: the options that all tools share, and what follows from them.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

#include "attach/links.h"
#include "base/result.h"
#include "expr/process_filter.h"

struct bpf_map;
struct bpf_program;

namespace uscope::run {

class Tool;

// Forks are followed as long as it lives.
struct ForkFollower {
    ForkFollower();
    ForkFollower(ForkFollower &&) noexcept;
    ~ForkFollower();

    attach::Links links;
    int targets = -1;  // the kernel's map of all that are followed; -1: without -F
    int lost = -1;     // the number of those that found no place there
    // Of the only process: the kernel's ring in which it tells that probes are lost (bpf/lib/follow.bpf.h), and what attaches
    // them again; null: that cannot be.
    int execs = -1;
    std::function<Result<>()> attach_again = {};

    bool includes(pid_t pid) const;  // false without -F
};

// The processes of -F, for a tool that looks at each one as it starts. What the kernel's list has is not enough: it has lost a
// process before its end is read.
class FollowedTree {
  public:
    void start(const ForkFollower &follower) { follower_ = &follower; }  // which outlives this
    bool includes(pid_t pid) const                                       // false without -F
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
    std::vector<pid_t> pids;
    int targets = -1, lost = -1, execs = -1;  // as above
    std::function<Result<>()> attach_again = {};
};

// What follows forks (bpf/lib/follow.bpf.h).
struct FollowParts {
    bpf_program *newtask, *free, *exec;
    bpf_map *targets, *lost, *execs;
    uint32_t *child_at, *flags_at, *ended_at;  // constants of the programs
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
            .child_at = &constants->follow_child_at,
            .flags_at = &constants->follow_flags_at,
            .ended_at = &constants->follow_ended_at,
            .only = &constants->follow_only,
            .pidns_device = reinterpret_cast<uint64_t *>(&constants->follow_pidns_device),
            .pidns_inode = reinterpret_cast<uint64_t *>(&constants->follow_pidns_inode)};
}

struct Processes {
    std::vector<pid_t> pids;  // -p, several times
    std::vector<std::string> comms;
    std::optional<pid_t> tid;
    std::optional<unsigned> uid;
    std::string cgroup;         // a folder of a cgroup-v2 tree
    bool follow_forks = false;  // -F: what they have started and will start, too
    // Of tools that look at no process's files: -p may name one that is not there yet. The run does
    // not end with it.
    bool may_be_missing = false;

    // The one-letter names of --tid and --follow-forks; 0: it has none.
    void declare(Tool &tool, char tid_name = 'L', char forks_name = 'F');

    // --cgroup-path, whose one-letter name may be 0.
    void declare_cgroup(Tool &tool, char name = 0, std::string names = "cgroup-path");

    // Checks them against the machine: every pid is there, the cgroup is one. Errors name the
    // option. Notes that a container sees itself only.
    Result<> check() const;
    // Processes to look libraries up in: -p, -L's process, and those that now run as --comm.
    std::vector<pid_t> for_lookup() const;
    // Are processes meant that start later, other than those of -F?
    bool any_later() const { return pids.empty() && !tid; }
    // Is this process meant, by its name and its id? Forks of -F are not known here.
    bool includes(pid_t pid) const;
    // The only process there can be, for the kernel's own filter: others then pay nothing. 0:
    // several, or unknown.
    pid_t only() const;
    // Those that probes are attached to, each by itself; {0}: every process, as those that are meant may start later.
    std::vector<pid_t> each() const;
    // What is left for the programs to check. `kernel_filters`: only() was given to the kernel.
    expr::ProcessFilter filter(bool kernel_filters) const;
    // What the programs' filters need in the kernel. prepare(): before the object is loaded;
    // start(): before the probes are attached.
    Result<> prepare(const FollowParts &parts) const;
    Result<ForkFollower> start(const FollowParts &parts) const;
    // Has the kernel tell when the only process loses its probes, as a thread that is not the first one executes a program.
    Result<> watch_execs(const FollowParts &parts, ForkFollower &follower) const;
    // --cgroup-path: `map` is what the programs look at, an array of cgroups with one place.
    Result<> fill_cgroup(const bpf_map *map) const;

    Targets targets(const ForkFollower &follower) const;

    // Do filters apply that only the kernel can check, at each event?
    bool any_kernel_filter() const { return !comms.empty() || tid || uid || !cgroup.empty(); }
    bool empty() const { return pids.empty() && comms.empty() && !tid && !uid && cgroup.empty(); }

  private:
    Tool *tool_ = nullptr;
    char tid_name_ = 'L';
};

}  // namespace uscope::run
