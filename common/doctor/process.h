// What can be traced in a process, as `uscope doctor PID` reports it. Only reads files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <sys/types.h>

#include "doctor/check.h"
#include "doctor/process_file.h"

namespace uscope::doctor {

struct Process {
    pid_t pid = 0;
    std::string comm;
    std::string program;  // its path, as the process sees it
    std::vector<Check> checks = {};
    std::vector<ProcessFile> files = {};  // that have code, the program first
};

// Errors: there is no such process; it is a zombie or a kernel thread; this process may not read
// it.
Result<Process> examine_process(pid_t pid);

}  // namespace uscope::doctor
