// Compares the cgroups of processes with the containers, pods and units that the user named.
#include "run/workload_filter.h"

#include <algorithm>
#include <functional>
#include <set>

#include <bpf/bpf.h>

#include "base/fd.h"
#include "base/format.h"
#include "base/text.h"
#include "output/process_columns.h"
#include "proc/cgroups.h"
#include "proc/process.h"
#include "run/loop.h"
#include "run/losses.h"
#include "run/tool.h"

namespace uscope::run {
namespace {

constexpr std::string_view not_traced = "cgroups", too_many = "too many match";

// A name may look like the start of another container's id, so that an id needs 12 digits.
bool is_container(std::string_view value, const proc::NamedWorkload &named)
{
    constexpr size_t least_digits = 12;
    const std::string &id = named.workload.container_id;
    return !id.empty() &&
           (value == named.container() || (value.size() >= least_digits && id.starts_with(value)));
}

// `value`: a UID, NAME, or NAMESPACE/NAME.
bool is_pod(std::string_view value, const proc::NamedWorkload &named)
{
    const std::string &pod = named.names.pod;
    return !named.workload.pod_uid.empty() &&
           (value == named.workload.pod_uid || value == pod ||
            (!pod.empty() && value == pod.substr(pod.find('/') + 1)));
}

bool is_unit(std::string_view value, const proc::Workload &workload)
{
    return std::any_of(workload.units.begin(), workload.units.end(), [&](std::string_view unit) {
        return unit == value ||
               (unit.ends_with(".service") && unit.substr(0, unit.rfind('.')) == value);
    });
}

// " container web", " container web or db"; "" for no values.
std::string kind_text(std::string_view kind, const std::vector<std::string> &values)
{
    return values.empty() ? "" : fmt::format("{} {}", kind, join(values, " or "));
}

// "running are: a, b"; a list of hundreds of units has only those with similar names.
std::string running_text(std::string_view wanted, const std::set<std::string> &running)
{
    constexpr size_t max_listed = 20;
    if (running.empty())
        return "none is running";
    std::vector<std::string> names(running.begin(), running.end());
    if (names.size() <= max_listed)
        return "running are: " + join(names, ", ");
    auto near = near_names(wanted, names, max_listed);
    if (near.empty())
        near.assign(names.begin(), names.begin() + max_listed);
    return fmt::format("running are: {} and {} more", join(near, ", "), names.size() - near.size());
}

}  // namespace

void WorkloadFilter::declare(Tool &tool)
{
    tool.option(
        0, "container", List{containers}, "NAME[,NAME]",
        "only processes in this container, by its name or id (12 digits or more), including "
        "later ones; may be repeated");
    tool.option(0, "pod", List{pods}, "POD[,POD]",
                "only processes in this Kubernetes pod: UID, NAME or NAMESPACE/NAME; may be "
                "repeated");
    tool.option(0, "unit", List{units}, "UNIT[,UNIT]",
                "only processes of this systemd unit, such as nginx.service; may be repeated");
}

void WorkloadFilter::match(const proc::Workload &workload, Matches &matches) const
{
    auto any = [](const std::vector<std::string> &values, const auto &is_meant) {
        return std::any_of(values.begin(), values.end(), is_meant);
    };
    matches.unit |= any(units, [&](auto &value) { return is_unit(value, workload); });
    if (matches.container && matches.pod)
        return;
    proc::NamedWorkload named = {workload, workloads_->names_of(workload)};
    matches.container |= any(containers, [&](auto &value) { return is_container(value, named); });
    matches.pod |= any(pods, [&](auto &value) { return is_pod(value, named); });
}

// A container may be in another one, and the path names both: compares each part of the path.
void WorkloadFilter::match_path(std::string_view path, Matches &matches) const
{
    for (size_t end = path.find('/', 1); !matches.all(); end = path.find('/', end + 1)) {
        match(proc::workload_of_path(path.substr(0, end)), matches);
        if (end == path.npos)
            break;
    }
}

bool WorkloadFilter::includes_path(std::string_view path) const
{
    Matches matches = none_yet();
    match_path(path, matches);
    return matches.all();
}

WorkloadFilter::Matches WorkloadFilter::matches_of(pid_t pid, bool only_version_2) const
{
    Matches matches = none_yet();
    auto lines = read_file(fmt::format("/proc/{}/cgroup", pid));
    for (const proc::Cgroup &cgroup : proc::parse_cgroups(lines ? std::string_view(*lines) : "")) {
        if (cgroup.is_version_2 || !only_version_2)
            match_path(cgroup.path, matches);
    }
    return matches;
}

bool WorkloadFilter::includes(pid_t pid) const
{
    return !any() || matches_of(pid, false).all();
}

bool WorkloadFilter::includes_in_version_2(pid_t pid) const
{
    return matches_of(pid, true).all();
}

std::vector<pid_t> WorkloadFilter::running() const
{
    std::vector<pid_t> pids = proc::all_pids();
    std::erase_if(pids, [&](pid_t pid) { return !includes(pid) || !proc::must_run(pid); });
    return pids;
}

std::string WorkloadFilter::text() const
{
    std::vector<std::string> parts = {kind_text("container", containers), kind_text("pod", pods),
                                      kind_text("unit", units)};
    std::erase(parts, "");
    return join(parts, " in ");
}

Failure<> WorkloadFilter::nothing_is_in_it() const
{
    Matches any = none_yet();
    std::set<std::string> running_containers, running_pods, running_units;
    for (pid_t pid : proc::all_pids()) {
        Matches matches = matches_of(pid, false);
        any.container |= matches.container;
        any.pod |= matches.pod;
        any.unit |= matches.unit;
        const proc::NamedWorkload &named = workloads_->of(pid);
        running_containers.insert(named.container());
        running_pods.insert(named.pod());
        running_units.insert(named.workload.units.begin(), named.workload.units.end());
    }
    running_containers.erase("");
    running_pods.erase("");
    auto error = [&](std::string_view kind, const std::vector<std::string> &values,
                     const std::set<std::string> &running) {
        return fail("there is no {}; {}", kind_text(kind, values),
                    running_text(values.front(), running));
    };
    if (!any.container)
        return error("container", containers, running_containers);
    if (!any.pod)
        return error("pod", pods, running_pods);
    if (!any.unit)
        return error("unit", units, running_units);
    return fail("no process is in {}", text());
}

std::vector<output::ProcessColumn> workload_columns()
{
    using Named = proc::NamedWorkload;
    auto workloads = std::make_shared<proc::Workloads>();
    auto text = [&](auto get) {
        return
            [workloads, get](int64_t pid) { return std::invoke(get, workloads->of(pid_t(pid))); };
    };
    auto id = [](const Named &named) { return named.workload.container_id; };
    auto uid = [](const Named &named) { return named.workload.pod_uid; };
    auto unit = [](const Named &named) { return named.workload.unit; };
    return {{"CONTAINER", 16, "container", text(&Named::container)},
            {"", 0, "container_id", text(id)},
            {"POD", 24, "pod", text(&Named::pod)},
            {"", 0, "pod_uid", text(uid)},
            {"UNIT", 20, "unit", text(unit)}};
}

Result<std::shared_ptr<CgroupFilter>> CgroupFilter::open(const WorkloadFilter &filter)
{
    auto mount = proc::cgroup2_mount();
    if (!mount)
        return fail("the file system cgroup2 is not mounted");
    auto accepts = [&filter](std::string_view path) { return filter.includes_path(path); };
    return std::shared_ptr<CgroupFilter>(
        new CgroupFilter(TRY(proc::CgroupTree::open(*mount, accepts))));
}

void CgroupFilter::fill(int map)
{
    auto added = [this, map](uint64_t id) {
        uint8_t yes = 1;
        lost_ += bpf_map_update_elem(map, &id, &yes, BPF_ANY) != 0;
    };
    auto removed = [map](uint64_t id) { bpf_map_delete_elem(map, &id); };
    tree_.report_to({added, removed});
}

Result<> CgroupFilter::listen(Loop &loop)
{
    constexpr unsigned milliseconds = 500;
    TRY(loop.on_readable(tree_.fd(), [this] { tree_.drain(); }));
    return loop.every(milliseconds, [this] { tree_.look_again(); });
}

void CgroupFilter::report_lost(Tool &tool) const
{
    if (tree_.is_incomplete())
        tool.note(
            "containers and units that started later may be missing: the kernel watches no more "
            "folders (increase fs.inotify.max_user_watches)");
    if (!lost_)
        return;
    tool.note("{} {} are not traced: {}", lost_, not_traced, too_many);
    record_loss(tool, lost_, not_traced, too_many);
}

}  // namespace uscope::run
