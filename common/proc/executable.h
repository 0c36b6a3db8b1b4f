// The program that a process executes, as a path for find_file().
#pragma once

#include <string>

#include <sys/types.h>

#include "base/result.h"

namespace uscope::proc {

// As the process sees it, also when it was deleted since; "" when it is gone. Not the name: with
// find_file() that may also mean the link by which another program was started.
std::string executable_path(pid_t pid, const std::string &proc = "/proc");
// The same. Errors: it has none, or we may not know it.
Result<std::string> executable_of(pid_t pid);

}  // namespace uscope::proc
