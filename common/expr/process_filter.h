// Which processes and threads a program is for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace uscope::expr {

// Everything given must hold.
struct ProcessFilter {
    std::vector<uint32_t> tgids;  // any of these (compared inline)
    bool in_targets_map = false;  // tgid is a key of MapSlot::Targets (following forks)
    std::optional<uint32_t> tid;
    std::optional<uint32_t> uid;
    std::vector<std::string> comms;    // exactly one of these (cut to 15 bytes, as the kernel does)
    bool in_cgroup = false;            // under the cgroup in MapSlot::Cgroup, index 0
    std::optional<uint32_t> not_tgid;  // the tracer itself
    // When we run in a pid namespace of our own, ids are counted there (st_dev, st_ino of
    // /proc/self/ns/pid).
    uint64_t pidns_device = 0, pidns_inode = 0;
};

}  // namespace uscope::expr
