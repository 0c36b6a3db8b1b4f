// Finds how much more memory the cgroups of a process let it use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <sys/types.h>

namespace uscope::proc {

// Bytes that remain in the tightest of the process's cgroups (version 1 or 2). Counted as used is
// its working set: memory in use without the pages of files that were not used lately, which the
// kernel reclaims first. nullopt if there is no limit or it is unknown.
std::optional<uint64_t> memory_left(pid_t pid, const std::string &proc = "/proc",
                                    const std::string &cgroups = "/sys/fs/cgroup");

}  // namespace uscope::proc
