// Finds the program that a process executes, as a path for find_file().
#pragma once

#include <string>

#include <sys/types.h>

#include "base/result.h"

namespace uscope::proc {

// The path as the process sees it, even if the file was deleted since; "" if the process is gone. A
// path instead of the name, because find_file() may take a name for the link by which another
// program was started.
std::string executable_path(pid_t pid, const std::string &proc = "/proc");
// The same. Errors: the process has no program, or we may not read which.
Result<std::string> executable_of(pid_t pid);

}  // namespace uscope::proc
