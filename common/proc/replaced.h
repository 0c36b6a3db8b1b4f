// Files that others have taken the place of, as a package's upgrade does. What runs the former one goes on with it.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace uscope::proc {

// The processes that still execute a file that was deleted at `path`, among those that have our mounts.
std::vector<pid_t> running_former(const std::string &path, const std::string &proc = "/proc");

}  // namespace uscope::proc
