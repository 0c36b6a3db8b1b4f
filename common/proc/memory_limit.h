// Finds how much more memory a process may use before it reaches a limit of its cgroups.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <sys/types.h>

namespace uscope::proc {

// Returns the smallest number of bytes that remain in any of the process's cgroups (version 1 or
// 2). A cgroup's used memory is counted without file pages that were not used lately, because the
// kernel reclaims those first. Returns nullopt if there is no limit or it is unknown.
std::optional<uint64_t> memory_left(pid_t pid, const std::string &proc = "/proc",
                                    const std::string &cgroups = "/sys/fs/cgroup");

}  // namespace uscope::proc
