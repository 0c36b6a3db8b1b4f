// Tells which container, pod and systemd unit a process belongs to, by the path of its cgroup.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace uscope::proc {

// What is empty is unknown, or the process does not belong to such a thing.
struct Workload {
    // The innermost container: 64 hexadecimal digits, or the name of a machine (systemd-nspawn,
    // LXC).
    std::string container_id;
    // "docker", "containerd", "cri-o", "podman", "machine", "lxc". Empty although there is a
    // container: its path does not say who runs it.
    std::string_view runtime;
    // Kubernetes' id of the pod: "0f5ac5b4-2a41-4b08-9d35-b4bd7ffe7d25", or 32 digits for the
    // static pods of a node.
    std::string pod_uid;
    // The innermost systemd unit that is not only a scope around a container: "nginx.service",
    // "session-3.scope". For a container, a unit inside it, or the unit that is the container.
    std::string unit;
    // All units, also those around a container: "user@1000.service". Outermost first.
    std::vector<std::string> units;

    bool empty() const { return container_id.empty() && pod_uid.empty() && units.empty(); }
    bool operator==(const Workload &) const = default;
};

// `path`: of a cgroup, relative to any other one, such as "/system.slice/nginx.service". The source
// file lists the forms that it knows.
Workload workload_of_path(std::string_view path);
// `lines`: the contents of /proc/PID/cgroup, of version 1, 2 or both.
Workload workload_of_cgroups(std::string_view lines);
// Returns nullopt if the process is gone.
std::optional<Workload> workload_of(pid_t pid, const std::string &proc = "/proc");

// The first 12 digits, as docker and podman show ids; the whole name of a machine.
std::string_view short_id(const Workload &workload);

}  // namespace uscope::proc
