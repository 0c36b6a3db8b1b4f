// Finds the program that a process executes, as a path for find_file().
#pragma once

#include <string>

#include <sys/types.h>

#include "base/result.h"

namespace uscope::proc {

// Returns the path as the process sees it, even if the file has been deleted since; "" if the
// process is gone. To find the file, pass this path to find_file() and not the file's name, which
// could also match another file or a link.
std::string executable_path(pid_t pid, const std::string &proc = "/proc");
// Like executable_path(). Errors: the process executes no program, or we are not permitted to read
// the path.
Result<std::string> executable_of(pid_t pid);

}  // namespace uscope::proc
