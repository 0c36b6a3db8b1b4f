// Whether the breakpoints of probes are in the memory of the processes that they were attached for.
//
// On an overlay file system a file is copied up when it is changed, be it by chmod or touch: from then on its path leads to the
// copy, while processes that run already go on with the former file. Their maps and stat() do not tell the two apart, so
// probes go to the copy, where nobody calls anything.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace uscope::probe {

class ProbeSet;

struct OtherFile {
    std::string path;    // of a file whose probes a process does not have
    pid_t pid = 0;       // the first such process
    std::string former;  // where that process's own file may be; empty: not known
};

// After ProbeSet::attach(). Only on x86-64.
std::vector<OtherFile> find_not_in_memory(const ProbeSet &probes, const std::vector<pid_t> &pids);

// Where the lower layers of the overlay file system that a process sees at `path` have the file: an existing one below one of
// `roots`, or "". `mountinfo`: of the process.
std::string lower_file(std::string_view mountinfo, const std::string &path,
                       const std::vector<std::string> &roots);

}  // namespace uscope::probe
