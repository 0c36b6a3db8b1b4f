// Selects the processes and threads whose events a program handles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace uscope::expr {

// All conditions that are set must hold.
struct ProcessFilter {
    std::vector<uint32_t> tgids;  // any of these; compared inline
    bool in_targets_map = false;  // tgid must be a key of MapSlot::Targets (to follow forks)
    std::optional<uint32_t> tid;
    std::optional<uint32_t> uid;
    std::vector<std::string> comms;    // any of these, exactly; cut to 15 bytes, as the kernel does
    bool in_cgroup = false;            // in or below the cgroup at index 0 of MapSlot::Cgroup
    bool in_cgroups_map = false;       // its cgroup's id must be a key of MapSlot::Cgroups
    std::optional<uint32_t> not_tgid;  // not this process: the tracer itself
    // The pid namespace to which the ids above belong: st_dev and st_ino of /proc/self/ns/pid.
    // 0: the initial namespace.
    uint64_t pidns_device = 0, pidns_inode = 0;
};

}  // namespace uscope::expr
