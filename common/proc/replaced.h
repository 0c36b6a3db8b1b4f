// Finds processes that run a file which was replaced since, as by a package's upgrade: they keep
// running the old one.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace uscope::proc {

// The processes that still execute a deleted file that was at `path`, among those in our mount
// namespace.
std::vector<pid_t> running_former(const std::string &path, const std::string &proc = "/proc");

}  // namespace uscope::proc
