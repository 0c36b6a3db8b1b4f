// Finds the program that a process executes, as a path for find_file().
#pragma once

#include <string>

#include <sys/types.h>

#include "base/result.h"

namespace uscope::proc {

// Returns the path as the process sees it, also if the file has been deleted since; "" if the
// process is gone. Callers that pass the result to find_file() need a path: a name without a slash
// may also match the link through which a program was started.
std::string executable_path(pid_t pid, const std::string &proc = "/proc");
// Like executable_path(). Errors: the process executes no program, or this process is not permitted
// to read which.
Result<std::string> executable_of(pid_t pid);

}  // namespace uscope::proc
