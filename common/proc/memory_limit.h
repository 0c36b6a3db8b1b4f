// How much memory the cgroups of a process still let it have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <sys/types.h>

namespace uscope::proc {

// Bytes that the tightest of its cgroups (version 1 or 2) has left, besides its working set: memory in use without the pages
// of files that nobody used lately, which the kernel takes back first. Nothing: no limit, or the limit is not known.
std::optional<uint64_t> memory_left(pid_t pid, const std::string &proc = "/proc",
                                    const std::string &cgroups = "/sys/fs/cgroup");

}  // namespace uscope::proc
