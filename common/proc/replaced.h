// Finds processes that still run an old file after another file has replaced it at its path, as an
// upgrade of a package does.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace uscope::proc {

// Returns those processes in this process's mount namespace that have mapped the code of a deleted
// file which was at `path`.
std::vector<pid_t> running_former(const std::string &path, const std::string &proc = "/proc");

}  // namespace uscope::proc
