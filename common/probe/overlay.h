// Checks whether the breakpoints of probes are in the memory of the processes that the user named.
//
// An overlay file system copies a file up when anything changes it, even chmod or touch. From then
// on its path leads to the copy, but running processes continue with the former file. Neither their
// maps nor stat() tell the two apart, so the probes go to the copy, which these processes do not
// run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace uscope::probe {

class ProbeSet;

struct OtherFile {
    std::string path;    // file with probes
    pid_t pid = 0;       // the first process whose memory lacks them
    std::string former;  // where the file that this process runs may be; empty: unknown
};

// Call after ProbeSet::attach(). Returns the files whose code a process of `pids` has mapped
// unchanged, but without breakpoints.
std::vector<OtherFile> find_not_in_memory(const ProbeSet &probes, const std::vector<pid_t> &pids);

// Returns the path of the file in a lower layer of the overlay file system at `path`, prefixed with
// one of `roots`; "" if no such file exists. `mountinfo`: the content of the process's file.
std::string lower_file(std::string_view mountinfo, const std::string &path,
                       const std::vector<std::string> &roots);

}  // namespace uscope::probe
