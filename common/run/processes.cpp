// Declares and checks the options that select processes, and sets up the kernel side's filters.
#include "run/processes.h"

#include <algorithm>
#include <set>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "attach/attach.h"
#include "output/process_columns.h"
#include "proc/maps.h"
#include "proc/process.h"
#include "proc/tracefs.h"
#include "run/tool.h"

namespace uscope::run {
namespace {

// The number of the initial pid namespace: PROC_PID_INIT_INO in include/linux/proc_ns.h.
constexpr uint64_t initial_pidns_inode = 0xEFFFFFFC;

// Returns the pid namespace of this process; nullopt if that is the initial one.
std::optional<proc::FileId> own_pid_namespace()
{
    struct stat info;
    if (stat("/proc/self/ns/pid", &info) != 0 || info.st_ino == initial_pidns_inode)
        return {};
    return proc::FileId{info.st_dev, info.st_ino};
}

}  // namespace

void Processes::declare(Tool &tool, char tid_name, char forks_name)
{
    tool_ = &tool;
    tid_name_ = tid_name;
    tool.group("Which processes");
    tool.option('p', "pid", pids, "PID[,PID]", "only these processes; may be repeated");
    tool.option(tid_name, "tid", OnlyOne{tid}, "TID", "only this thread");
    tool.option(0, "comm", List{comms}, "NAME[,NAME]",
                "only processes with this name (comm), including later ones; may be repeated")
        .values = [] {
        std::set<std::string> names;
        for (pid_t pid : proc::all_pids())
            names.insert(proc::comm(pid));
        return std::vector<std::string>(names.begin(), names.end());
    };
    tool.option(0, "uid", OnlyOne{uid}, "UID", "only processes of this user id");
    tool.flag(forks_name, "follow-forks", follow_forks,
              "also all descendants of the processes of -p, running and future ones");
}

void Processes::declare_cgroup(Tool &tool, char name, std::string names)
{
    tool.option(name, std::move(names), cgroup, "PATH",
                "only processes below this cgroup-v2 folder");
    workloads.declare(tool);
}

void Processes::begin_shown(Tool &tool, const bool *needed, std::string_view name)
{
    needed_to_show_ = needed;
    needed_name_ = name;
    tool.group("What is shown");
    tool.flag(0, "show-container", show_container,
              "add columns with the container, Kubernetes pod and systemd unit of each process");
}

// A container whose processes are in cgroups of version 1, or outside of what this process's cgroup
// namespace shows, cannot be followed: only its processes of now are known.
Result<> Processes::check_workloads()
{
    auto running = workloads.running();
    auto cgroups = CgroupFilter::open(workloads);
    bool any_cgroup = cgroups && (*cgroups)->has_any();
    if (running.empty() && !any_cgroup)
        return workloads.nothing_is_in_it();
    bool are_seen = running.empty() || std::any_of(running.begin(), running.end(), [&](pid_t pid) {
                        return workloads.includes_in_version_2(pid);
                    });
    if (any_cgroup && are_seen) {
        cgroups_ = std::move(*cgroups);
        return {};
    }
    if (!pids.empty())
        std::erase_if(running, [&](pid_t pid) {
            return std::find(pids.begin(), pids.end(), pid) == pids.end();
        });
    if (running.empty())
        return fail("no process of -p is in {}", workloads.text());
    pids = std::move(running);
    tool_->note(
        "{} has no cgroup of version 2 that can be seen from here: processes that start in it "
        "later "
        "are not traced",
        workloads.text());
    return {};
}

Result<> Processes::check()
{
    if (show_container && needed_to_show_ && !*needed_to_show_)
        return fail_usage("--show-container needs {}: without it, no row is a process's",
                          needed_name_);
    if (show_container)
        tool_->out().set_process_columns(workload_columns());
    if (workloads.any())
        TRY(check_workloads());
    if (!pids.empty() && tid)
        return fail_usage("only one of -p and -{} may be specified", tid_name_);
    if (std::find(comms.begin(), comms.end(), "") != comms.end())
        return fail_usage("--comm needs a name, not \"\"");
    if (follow_forks && pids.empty())
        return fail_usage("--follow-forks (-F) follows the processes of -p: add -p");
    if (follow_forks && own_pid_namespace()) {
        return fail(
            "--follow-forks does not work in a pid namespace: the kernel reports the ids of new "
            "processes only as they are outside of it; trace from outside, or omit the option");
    }
    for (pid_t pid : pids) {
        auto runs = proc::must_run(pid);
        if (!runs && !may_be_missing)
            return runs;
        if (!runs)
            tool_->note("{}; waiting for one", runs.error().text);
    }
    if (tid && !proc::thread_group(*tid))
        return fail("there is no thread {}", *tid);
    if (!cgroup.empty()) {
        struct statfs info;
        if (statfs(cgroup.c_str(), &info) != 0)
            return fail_errno("cannot examine the cgroup {}", cgroup);
        if (info.f_type != CGROUP2_SUPER_MAGIC)
            return fail(
                "{} is not a cgroup-v2 folder (they are below the mount point of the file system "
                "cgroup2: see `findmnt -t cgroup2`)",
                cgroup);
    }
    if (own_pid_namespace() && pids.empty() && !tid)
        tool_->note(
            "in this pid namespace (of a container), processes outside of it have no id and are "
            "shown as PID 0 or skipped; docker and podman have --pid=host");
    return {};
}

std::vector<pid_t> Processes::for_lookup() const
{
    std::vector<pid_t> all = pids;
    if (tid) {
        if (auto group = proc::thread_group(*tid))
            all.push_back(*group);
    }
    if (!comms.empty()) {
        for (pid_t pid : proc::all_pids()) {
            bool is_meant = std::find(comms.begin(), comms.end(), proc::comm(pid)) != comms.end();
            if (is_meant && workloads.includes(pid) && proc::must_run(pid) &&
                !proc::is_kernel_thread(pid))
                all.push_back(pid);
        }
    }
    if (!any_named() && workloads.any())
        all = workloads.running();
    return all;
}

bool Processes::includes(pid_t pid) const
{
    auto is_among = [](const auto &list, const auto &value) {
        return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
    };
    return is_among(comms, proc::comm(pid)) && is_among(pids, pid) &&
           (!tid || proc::thread_group(*tid) == pid) && workloads.includes(pid);
}

pid_t Processes::only() const
{
    if (tid && !follow_forks)
        return proc::thread_group(*tid).value_or(0);
    return pids.size() == 1 && !follow_forks ? pids[0] : 0;
}

std::vector<pid_t> Processes::each() const
{
    bool are_known = !follow_forks && (tid || !pids.empty());
    return are_known && pids.size() > 1 ? pids : std::vector<pid_t>{only()};
}

expr::ProcessFilter Processes::filter(bool kernel_filters) const
{
    expr::ProcessFilter filter;
    if (follow_forks)
        filter.in_targets_map = true;
    else if (!kernel_filters || pids.size() > 1)
        filter.tgids.assign(pids.begin(), pids.end());
    filter.comms = comms;
    if (tid)
        filter.tid = *tid;
    if (uid)
        filter.uid = *uid;
    filter.in_cgroup = !cgroup.empty();
    filter.in_cgroups_map = cgroups_ != nullptr;

    if (auto space = own_pid_namespace()) {
        filter.pidns_device = space->device;
        filter.pidns_inode = space->inode;
    }
    return filter;
}

Targets Processes::targets(const ForkFollower &follower) const
{
    bool any_missing = std::any_of(pids.begin(), pids.end(),
                                   [](pid_t pid) { return !proc::must_run(pid).has_value(); });
    if (may_be_missing && any_missing)
        return {.cgroups = follower.cgroups};
    return {pids,           follower.targets,      follower.lost,
            follower.execs, follower.attach_again, follower.cgroups};
}

namespace {

void prepare_execs(const FollowParts &parts, pid_t only)
{
    *parts.only = only;
    if (auto space = own_pid_namespace()) {
        *parts.pidns_device = space->device;
        *parts.pidns_inode = space->inode;
    }
}

}  // namespace

Result<> Processes::prepare(const FollowParts &parts) const
{
    // Keep maps small that are not used: creating a large one takes a millisecond.
    if (bpf_program__set_autoload(parts.newtask, follow_forks) != 0 ||
        bpf_program__set_autoload(parts.free, follow_forks) != 0 ||
        bpf_program__set_autoload(parts.exec, only() != 0) != 0 ||
        bpf_map__set_autocreate(parts.execs, only() != 0) != 0 ||
        (!cgroups_ && bpf_map__set_max_entries(parts.cgroups, 1) != 0) ||
        (!follow_forks && bpf_map__set_max_entries(parts.targets, 1) != 0))
        return fail("the program that follows forks is already loaded");
    if (only())
        prepare_execs(parts, only());
    if (!follow_forks)
        return {};
    auto tracefs = TRY(proc::Tracefs::open());
    auto started = TRY(tracefs.read("task", "task_newtask"));
    auto ended = TRY(tracefs.read("sched", "sched_process_free"));
    *parts.child_at = TRY(started.offset_of("pid", sizeof(uint32_t)));
    *parts.flags_at = TRY(started.offset_of("clone_flags", sizeof(uint64_t)));
    *parts.ended_at = TRY(ended.offset_of("pid", sizeof(uint32_t)));
    return {};
}

Result<> Processes::watch_execs(const FollowParts &parts, ForkFollower &follower) const
{
    if (!bpf_program__autoload(parts.exec))
        return {};
    follower.links.push_back(
        TRY(attach::attach_raw_tracepoint(bpf_program__fd(parts.exec), "sched_process_exec")));
    follower.execs = bpf_map__fd(parts.execs);
    return {};
}

ForkFollower::ForkFollower() = default;
ForkFollower::ForkFollower(ForkFollower &&) noexcept = default;
ForkFollower::~ForkFollower() = default;

bool ForkFollower::includes(pid_t pid) const
{
    uint32_t key = pid;
    uint8_t value;
    return targets >= 0 && bpf_map_lookup_elem(targets, &key, &value) == 0;
}

Result<> Processes::fill_cgroup(const bpf_map *map) const
{
    if (cgroup.empty())
        return {};
    Fd folder(open(cgroup.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    uint32_t key = 0, value = folder.get();
    if (!folder || bpf_map_update_elem(bpf_map__fd(map), &key, &value, BPF_ANY) != 0)
        return fail_errno("cannot filter by the cgroup {}", cgroup);
    return {};
}

Result<ForkFollower> Processes::start(const FollowParts &parts) const
{
    ForkFollower follower;
    follower.cgroups = cgroups_;
    if (cgroups_)
        cgroups_->fill(bpf_map__fd(parts.cgroups));
    if (!follow_forks)
        return follower;

    follower.targets = bpf_map__fd(parts.targets);
    follower.lost = bpf_map__fd(parts.lost);
    auto tracefs = TRY(proc::Tracefs::open());
    auto attach = [&](bpf_program *program, const char *category, const char *name) -> Result<> {
        auto point = TRY(tracefs.read(category, name));
        follower.links.push_back(
            TRY(attach::attach_tracepoint(bpf_program__fd(program), point.id, name)));
        return {};
    };
    TRY(attach(parts.free, "sched", "sched_process_free"));
    TRY(attach(parts.newtask, "task", "task_newtask"));
    // Attaches the programs first and lists children afterwards, so that no child is missed: one
    // that starts in between is found in both ways.
    std::vector<pid_t> waiting = pids;
    while (!waiting.empty()) {
        uint32_t pid = waiting.back();
        uint8_t yes = 1;
        waiting.pop_back();
        if (bpf_map_update_elem(follower.targets, &pid, &yes, BPF_ANY) != 0)
            return fail_errno("cannot follow process {}", pid);
        for (pid_t child : proc::children(pid))
            waiting.push_back(child);
    }
    return follower;
}

}  // namespace uscope::run
