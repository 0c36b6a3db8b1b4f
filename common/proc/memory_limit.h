// How much memory the cgroups of a process still let it have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <sys/types.h>

namespace uscope::proc {

// Bytes, of the tightest of its cgroups (version 2). Nothing: none has a limit, or that is not known.
std::optional<uint64_t> memory_left(pid_t pid, const std::string &proc = "/proc",
                                    const std::string &cgroups = "/sys/fs/cgroup");

}  // namespace uscope::proc
