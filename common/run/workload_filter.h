// The options --container, --pod and --unit: which processes they mean, now and later.
//
// The kernel's programs look up the id of the current cgroup in a map (follow_cgroups in
// bpf/lib/follow.bpf.h). CgroupFilter keeps the map up to date as cgroups appear and disappear.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "proc/cgroup_tree.h"
#include "proc/workload_names.h"

namespace uscope::output {
struct ProcessColumn;
}

namespace uscope::run {

class Loop;
class Tool;

class WorkloadFilter {
  public:
    void declare(Tool &tool);
    bool any() const { return !containers.empty() || !pods.empty() || !units.empty(); }
    // Is the process in one of the containers, one of the pods, and one of the units? An option
    // that is not given excludes nothing.
    bool includes(pid_t pid) const;
    // The same for the cgroup of version 2 with this path.
    bool includes_path(std::string_view path) const;
    std::vector<pid_t> running() const;  // the processes that it includes
    // Is this running process in it by its cgroup of version 2?
    bool includes_in_version_2(pid_t pid) const;
    // The error if no process is in it: names what is running instead.
    Failure<> nothing_is_in_it() const;
    std::string text() const;  // "container web"; "" if there are no options

    std::vector<std::string> containers, pods, units;  // the values of the options

  private:
    // What is known to match of the values of each option.
    struct Matches {
        bool container, pod, unit;
        bool all() const { return container && pod && unit; }
    };
    Matches none_yet() const { return {containers.empty(), pods.empty(), units.empty()}; }
    void match(const proc::Workload &workload, Matches &matches) const;
    void match_path(std::string_view path, Matches &matches) const;
    Matches matches_of(pid_t pid, bool only_version_2) const;

    // Names are remembered: each event of a new process asks.
    std::shared_ptr<proc::Workloads> workloads_ = std::make_shared<proc::Workloads>();
};

// The columns of --show-container. Reads what a process belongs to when it has its first row, and
// again after a second.
std::vector<output::ProcessColumn> workload_columns();

// Keeps the map of the cgroups that a filter includes.
class CgroupFilter {
  public:
    // `filter` must outlive this object. Errors: cgroup2 is not mounted, or cannot be watched.
    static Result<std::shared_ptr<CgroupFilter>> open(const WorkloadFilter &filter);
    CgroupFilter(const CgroupFilter &) = delete;

    bool has_any() const { return tree_.wanted() > 0; }
    void fill(int map);  // from now on, keeps this map up to date when listen() is called
    Result<> listen(Loop &loop);
    // At the end of the run: reports what was not traced.
    void report_lost(Tool &tool) const;

  private:
    explicit CgroupFilter(proc::CgroupTree tree) : tree_(std::move(tree)) {}

    proc::CgroupTree tree_;
    size_t lost_ = 0;
};

}  // namespace uscope::run
