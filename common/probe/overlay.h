// Checks whether the breakpoints of probes are in the memory of the processes that the user named.
//
// When anything changes a file of an overlay file system, even chmod or touch, the file system
// copies the file to its upper layer. From then on, the file's path leads to the copy, but
// processes that already run the file continue with the original. Neither /proc/PID/maps nor stat()
// distinguishes the two, so the tool attaches its probes to the copy, which these processes do not
// run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace uscope::probe {

class ProbeSet;

struct OtherFile {
    std::string path;    // the file with probes
    pid_t pid = 0;       // the first process whose memory lacks the breakpoints
    std::string former;  // the probable path of the original that this process runs; "": unknown
};

// Call after ProbeSet::attach(). Returns the files whose code one of the processes `pids` has
// mapped unchanged, but without breakpoints.
std::vector<OtherFile> find_not_in_memory(const ProbeSet &probes, const std::vector<pid_t> &pids);

// `path` is a file in an overlay file system. Returns the path of its original in a lower layer,
// prefixed with one of `roots`; "" if no such file exists. `mountinfo`: the content of the
// process's /proc/PID/mountinfo.
std::string lower_file(std::string_view mountinfo, const std::string &path,
                       const std::vector<std::string> &roots);

}  // namespace uscope::probe
