// Each part of a cgroup's path may say something. ID: 64 hexadecimal digits; UID: a pod's.
//
//     docker            /docker/ID                          /system.slice/docker-ID.scope
//     containerd        /default/ID (nerdctl, ctr)          /system.slice/nerdctl-ID.scope
//     podman            /libpod_parent/libpod-ID, /machine.slice/libpod-ID.scope/container,
//                       /system.slice/web.service/libpod-payload-ID   (--cgroups=split)
//     Kubernetes        /kubepods/burstable/podUID/ID, /kubepods/podUID/crio-ID
//                       /kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podUID.slice/
//                           cri-containerd-ID.scope, crio-ID.scope, docker-ID.scope
//                       (names of slices cannot have hyphens: the UID has underscores there)
//                       /system.slice/containerd.service/kubepods-podUID.slice:cri-containerd:ID
//     systemd-nspawn    /machine.slice/machine-NAME.scope,
//                       /machine.slice/systemd-nspawn@NAME.service
//     libvirt's LXC     /machine.slice/machine-lxc\x2d4711\x2dNAME.scope
//     LXC               /lxc.payload.NAME, /lxc.payload/NAME, /lxc/NAME
//     systemd           /system.slice/nginx.service, /user.slice/user-1000.slice/session-3.scope,
//                       /user.slice/user-1000.slice/user@1000.service/app.slice/foo.service
//
// A container may contain others (kind, docker in docker), and units of its own systemd. The
// kernel shows paths relative to the reader's cgroup namespace: "/", "/../docker-ID.scope". It
// appends " (deleted)" to that of a removed cgroup.
#include "proc/workload.h"

#include <algorithm>

#include "base/fd.h"
#include "base/format.h"
#include "base/text.h"
#include "proc/cgroups.h"

namespace uscope::proc {
namespace {

constexpr size_t id_digits = 64;

bool are_digits(std::string_view text)
{
    return text.find_first_not_of("0123456789abcdef") == text.npos;
}

bool is_id(std::string_view text)
{
    return text.size() == id_digits && are_digits(text);
}

// Removes `end` if the text ends with it.
bool drop_end(std::string_view &text, std::string_view end)
{
    if (!text.ends_with(end))
        return false;
    text.remove_suffix(end.size());
    return true;
}

// Removes `start` if the text starts with it.
bool drop_start(std::string_view &text, std::string_view start)
{
    if (!text.starts_with(start))
        return false;
    text.remove_prefix(start.size());
    return true;
}

// Replaces the bytes that systemd writes as \x2d in the names of units.
std::string unescaped(std::string_view text)
{
    std::string plain;
    while (!text.empty()) {
        auto byte = text.starts_with("\\x") && text.size() >= 4
                        ? parse_number(fmt::format("0x{}", text.substr(2, 2)))
                        : std::nullopt;
        plain.push_back(byte ? char(*byte) : text[0]);
        text.remove_prefix(byte ? 4 : 1);
    }
    return plain;
}

// "podUID", "kubepods-burstable-podUID.slice", "kubelet-kubepods-podUID.slice". Returns the UID
// with hyphens; "" if the name is not a pod's.
std::string pod_uid_of(std::string_view name)
{
    constexpr size_t with_hyphens = 36, without = 32;
    drop_end(name, ".slice");
    size_t at = name.rfind("pod");
    bool begins = at == 0 || (at != name.npos && name[at - 1] == '-' &&
                              name.substr(0, at).find("kubepods") != name.npos);
    if (!begins)
        return "";
    std::string uid(name.substr(at + 3));
    std::replace(uid.begin(), uid.end(), '_', '-');
    std::string digits;
    std::copy_if(uid.begin(), uid.end(), std::back_inserter(digits),
                 [](char c) { return c != '-'; });
    bool is_uid = digits.size() == without && are_digits(digits) &&
                  (uid.size() == without || uid.size() == with_hyphens);
    return is_uid ? uid : "";
}

// Returns the runtime by what precedes the id: "docker-ID.scope".
std::string_view runtime_of_prefix(std::string_view prefix)
{
    constexpr std::pair<std::string_view, std::string_view> runtimes[] = {
        {"docker", "docker"},      {"cri-containerd", "containerd"},
        {"nerdctl", "containerd"}, {"crio", "cri-o"},
        {"libpod", "podman"},      {"libpod-payload", "podman"},
    };
    for (auto [known, runtime] : runtimes) {
        if (prefix == known)
            return runtime;
    }
    return "";
}

struct Container {
    std::string id;
    std::string_view runtime;
    bool is_in_unit = false;  // the unit around it is its own
};

// The containers whose names contain an id.
std::optional<Container> container_by_id(std::string_view name, std::string_view parent)
{
    bool is_scope = drop_end(name, ".scope");
    if (is_id(name) && !is_scope)
        return Container{std::string(name), parent == "docker" ? "docker" : ""};
    if (name.size() <= id_digits || !is_id(name.substr(name.size() - id_digits)))
        return {};
    std::string_view id = name.substr(name.size() - id_digits);
    name.remove_suffix(id_digits);
    // slice:prefix:ID is a path for systemd that another program has taken literally.
    bool is_literal = name.ends_with(':');
    if (!is_literal && !name.ends_with('-'))
        return {};
    name.remove_suffix(1);
    if (is_literal)
        name.remove_prefix(name.rfind(':') + 1);
    if (name.ends_with("-conmon"))  // the process that watches a container
        return {};
    return Container{std::string(id), runtime_of_prefix(name), name == "libpod-payload"};
}

// The containers that have names: machines of systemd, and LXC.
std::optional<Container> container_by_name(std::string_view name, std::string_view parent)
{
    bool is_old_lxc = (parent == "lxc" || parent == "lxc.payload") && !name.starts_with("lxc.");
    if (is_old_lxc || drop_start(name, "lxc.payload."))
        return Container{std::string(name), "lxc"};
    if (drop_end(name, ".service")) {
        if (!drop_start(name, "systemd-nspawn@"))
            return {};
        return Container{unescaped(name), "machine", true};
    }
    if (!drop_end(name, ".scope") || !drop_start(name, "machine-"))
        return {};
    std::string machine = unescaped(name);
    if (machine.starts_with("qemu-"))  // a virtual machine: its processes are not in a container
        return {};
    // libvirt: lxc-4711-NAME
    size_t number_end = machine.find('-', machine.find('-') + 1);
    if (machine.starts_with("lxc-") && number_end != machine.npos)
        return Container{machine.substr(number_end + 1), "lxc"};
    return Container{machine, "machine"};
}

bool is_unit(std::string_view name)
{
    constexpr std::string_view kinds[] = {".service", ".scope", ".socket", ".mount", ".swap"};
    return std::any_of(std::begin(kinds), std::end(kinds), [&](std::string_view kind) {
        return name.size() > kind.size() && name.ends_with(kind);
    });
}

// Is it a scope around a container, or around the process that watches one?
bool is_only_scope(std::string_view name)
{
    return drop_end(name, ".scope") && name.size() > id_digits &&
           is_id(name.substr(name.size() - id_digits));
}

void add_part(Workload &workload, std::string_view name, std::string_view parent)
{
    if (std::string uid = pod_uid_of(name.substr(0, name.find(':'))); !uid.empty())
        workload.pod_uid = uid;
    auto container = container_by_id(name, parent);
    if (!container)
        container = container_by_name(name, parent);
    if (container) {
        workload.container_id = container->id;
        workload.runtime = container->runtime;
        if (!container->is_in_unit)
            workload.unit.clear();
    }
    if (!is_unit(name) || is_only_scope(name))
        return;
    drop_start(name, "_");  // systemd marks names that the kernel could mean
    workload.units.emplace_back(name);
    bool is_scope_around = container && !container->is_in_unit;
    if (!is_scope_around)
        workload.unit = name;
}

}  // namespace

Workload workload_of_path(std::string_view path)
{
    Workload workload;
    drop_end(path, " (deleted)");
    std::string_view parent;
    for (std::string_view name : split(path, '/')) {
        if (name.empty() || name == "..")
            continue;
        add_part(workload, name, parent);
        parent = name;
    }
    return workload;
}

Workload workload_of_cgroups(std::string_view lines)
{
    // Version 2 comes first, then systemd's hierarchy: some programs create only cgroups that limit
    // something.
    std::vector<std::string_view> paths;
    size_t preferred = 0;
    for (const Cgroup &cgroup : parse_cgroups(lines)) {
        bool is_systemd = cgroup.controllers == "name=systemd";
        size_t at = cgroup.is_version_2 ? 0 : is_systemd ? preferred : paths.size();
        paths.insert(paths.begin() + at, cgroup.path);
        preferred += cgroup.is_version_2;
    }
    Workload known;
    for (std::string_view path : paths) {
        Workload workload = workload_of_path(path);
        if (!workload.container_id.empty() || !workload.pod_uid.empty())
            return workload;
        if (known.empty())
            known = std::move(workload);
    }
    return known;
}

std::optional<Workload> workload_of(pid_t pid, const std::string &proc)
{
    auto lines = read_file(fmt::format("{}/{}/cgroup", proc, pid));
    return lines ? std::optional(workload_of_cgroups(*lines)) : std::nullopt;
}

std::string_view short_id(const Workload &workload)
{
    std::string_view id = workload.container_id;
    return is_id(id) ? id.substr(0, 12) : id;
}

}  // namespace uscope::proc
