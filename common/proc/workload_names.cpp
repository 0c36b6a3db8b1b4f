// Where names are:
//
//     Kubernetes   /var/log/pods/NAMESPACE_POD_UID/                       folders of the kubelet
//                  /var/log/containers/POD_NAMESPACE_CONTAINER-ID.log     links of the kubelet
//     docker       /var/lib/docker/containers/ID/config.v2.json           {"Name":"/web", ...}
//     podman,      /var/lib/containers/storage/overlay-containers/containers.json
//     CRI-O        [{"id":ID,"names":["web"], ...}, ...]; those of `run --rm` are in
//                  volatile-containers.json beside it
//
// Without root, docker and podman keep these files below the user's home, in .local/share.
#include "proc/workload_names.h"

#include <cstring>
#include <memory>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/format.h"
#include "base/json_strings.h"
#include "base/text.h"
#include "proc/cgroup_tree.h"
#include "proc/process.h"

namespace uscope::proc {
namespace {

// Reads a file that may be another user's: it could be a pipe, on which a reader waits for ever, or
// have no end. Returns "" for such a file, and if there is none.
std::string state_file(const std::string &path)
{
    constexpr off_t max_bytes = 16 << 20;
    Fd file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    struct stat info;
    if (!file || fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) ||
        info.st_size > max_bytes)
        return "";
    std::string text(info.st_size, '\0');
    ssize_t bytes = read(file.get(), text.data(), text.size());
    text.resize(bytes > 0 ? bytes : 0);
    return text;
}

// Returns the first name in the folder for which `is_wanted` is true; "" if there is none.
template <class IsWanted>
std::string entry_of(const std::string &folder, IsWanted is_wanted)
{
    std::unique_ptr<DIR, int (*)(DIR *)> directory(opendir(folder.c_str()), closedir);
    while (dirent *entry = directory ? readdir(directory.get()) : nullptr) {
        if (is_wanted(std::string_view(entry->d_name)))
            return entry->d_name;
    }
    return "";
}

// "NAMESPACE_POD_UID": none of the three has an underscore.
std::string kubernetes_pod(const Workload &workload, const std::string &root)
{
    std::string end = "_" + workload.pod_uid;
    std::string entry = entry_of(root + "/var/log/pods",
                                 [&](std::string_view name) { return name.ends_with(end); });
    auto parts = split(entry, '_');
    return parts.size() == 3 ? fmt::format("{}/{}", parts[0], parts[1]) : "";
}

// "POD_NAMESPACE_CONTAINER-ID.log"
std::string kubernetes_container(const Workload &workload, const std::string &root)
{
    std::string end = fmt::format("-{}.log", workload.container_id);
    std::string entry = entry_of(root + "/var/log/containers",
                                 [&](std::string_view name) { return name.ends_with(end); });
    auto parts = split(entry, '_');
    return parts.size() == 3 ? std::string(parts[2].substr(0, parts[2].size() - end.size())) : "";
}

std::string docker_name(const Workload &workload, const std::string &folder)
{
    std::string json =
        state_file(fmt::format("{}/containers/{}/config.v2.json", folder, workload.container_id));
    std::string name;
    visit_json_strings(json, [&](const JsonString &text) {
        if (text.depth == 1 && text.key == "Name" && !text.is_object_end)
            name = text.value;
        return name.empty();
    });
    return name.starts_with('/') ? name.substr(1) : name;
}

std::string name_in_storage(const std::string &id, const std::string &path)
{
    std::string json = state_file(path);
    std::string name, found;
    bool is_it = false;
    visit_json_strings(json, [&](const JsonString &text) {
        if (text.is_object_end && text.depth == 1) {
            if (is_it)
                found = name;
            name.clear();
            return !is_it;
        }
        is_it |= text.depth == 2 && text.key == "id" && text.value == id;
        if (text.depth == 3 && text.key == "names" && name.empty())
            name = text.value;
        return true;
    });
    return found;
}

std::string podman_name(const Workload &workload, const std::string &storage)
{
    for (const char *driver : {"overlay", "vfs", "btrfs"}) {
        for (const char *file : {"containers.json", "volatile-containers.json"}) {
            std::string name = name_in_storage(
                workload.container_id, fmt::format("{}/{}-containers/{}", storage, driver, file));
            if (!name.empty())
                return name;
        }
    }
    return "";
}

// Returns the home of the user whose containers run below user@UID.service; "" if there is none.
std::string home_of(const Workload &workload, const std::string &root)
{
    std::string user;
    for (const std::string &unit : workload.units) {
        if (unit.starts_with("user@"))
            user = unit.substr(0, unit.rfind('.')).substr(strlen("user@"));
    }
    auto users = read_file(root + "/etc/passwd");
    for (std::string_view line : split(users ? std::string_view(*users) : "", '\n')) {
        auto fields = split(line, ':');
        if (!user.empty() && fields.size() == 7 && fields[2] == user && fields[5].size() > 1)
            return std::string(fields[5]);
    }
    return "";
}

std::string container_name(const Workload &workload, const std::string &root)
{
    bool may_be_docker = workload.runtime.empty() || workload.runtime == "docker";
    bool may_be_podman = workload.runtime == "podman" || workload.runtime == "cri-o";
    std::string name;
    if (!workload.pod_uid.empty())
        name = kubernetes_container(workload, root);
    if (name.empty() && may_be_docker)
        name = docker_name(workload, root + "/var/lib/docker");
    if (name.empty() && may_be_podman)
        name = podman_name(workload, root + "/var/lib/containers/storage");
    if (!name.empty() || !workload.pod_uid.empty() || (!may_be_docker && !may_be_podman))
        return name;
    std::string home = home_of(workload, root);
    if (home.empty())
        return "";
    std::string share = root + home + "/.local/share";
    return may_be_docker ? docker_name(workload, share + "/docker")
                         : podman_name(workload, share + "/containers/storage");
}

}  // namespace

WorkloadNames names_of(const Workload &workload, const std::string &root)
{
    WorkloadNames names;
    if (!workload.pod_uid.empty())
        names.pod = kubernetes_pod(workload, root);
    // The short id of a machine is its name.
    if (!workload.container_id.empty() && short_id(workload) != workload.container_id)
        names.container = container_name(workload, root);
    return names;
}

std::string NamedWorkload::container() const
{
    return names.container.empty() ? std::string(short_id(workload)) : names.container;
}

std::string NamedWorkload::pod() const
{
    return names.pod.empty() ? workload.pod_uid : names.pod;
}

std::string container_of_cgroup(uint64_t id)
{
    auto mount = cgroup2_mount();
    auto path = mount ? cgroup_path(id, *mount) : std::nullopt;
    if (!path)
        return fmt::format("cgroup {}", id);
    NamedWorkload named = {.workload = workload_of_path(*path), .names = {}};
    named.names = names_of(named.workload, Workloads::root_of_files());
    std::string text = named.container();
    return text.empty() ? "-" : text;
}

Workloads::Workloads(std::string proc, std::string root)
    : proc_(std::move(proc)), root_(std::move(root))
{
}

std::string Workloads::root_of_files()
{
    return proc::root_of(1);
}

template <class Key, class Value>
Value &Workloads::Bounded<Key, Value>::operator[](const Key &key)
{
    constexpr size_t max_entries = 8192;
    auto found = newer.find(key);
    if (found != newer.end())
        return found->second;
    if (newer.size() >= max_entries)
        older = std::exchange(newer, {});
    auto old = older.extract(key);
    return old.empty() ? newer[key] : newer.insert(std::move(old)).position->second;
}

const NamedWorkload &Workloads::of(pid_t pid)
{
    constexpr auto stays_known = std::chrono::seconds(1);
    static const NamedWorkload none;
    Process &process = processes_[pid];
    auto now = Clock::now();
    if (process.read != Clock::time_point() && now - process.read < stays_known)
        return process.known ? *process.known : none;
    process.read = now;
    if (auto lines = read_file(fmt::format("{}/{}/cgroup", proc_, pid))) {
        Workload workload = workload_of_cgroups(*lines);
        WorkloadNames names = names_of(workload);
        // Processes of a cgroup share what is known about it.
        auto &known = by_cgroups_[*lines];
        bool is_same =
            known && known->names.container == names.container && known->names.pod == names.pod;
        if (!is_same)
            known = std::make_shared<NamedWorkload>(
                NamedWorkload{std::move(workload), std::move(names)});
        process.known = known;
    }
    return process.known ? *process.known : none;
}

// A container's name is written before it runs, a pod's folder and links after that: looks again
// for a name that it lacks.
WorkloadNames Workloads::names_of(const Workload &workload)
{
    constexpr auto until_next_try = std::chrono::seconds(1);
    if (workload.container_id.empty() && workload.pod_uid.empty())
        return {};
    Names &known = names_[workload.container_id + " " + workload.pod_uid];
    bool is_complete = (workload.container_id.empty() || !known.names.container.empty()) &&
                       (workload.pod_uid.empty() || !known.names.pod.empty());
    auto now = Clock::now();
    bool is_known = known.read != Clock::time_point();
    if (is_known && (is_complete || now - known.read < until_next_try))
        return known.names;
    known = {now, proc::names_of(workload, root_)};
    return known.names;
}

}  // namespace uscope::proc
