// Finds processes that read a file's code as data.
//
// A probe that is attached to a file for all processes is a breakpoint in every private mapping of
// the file that is not writable: also in the mapping of a process that only reads the file.
// valgrind and qemu-user translate the breakpoint as if it were part of the program that they run,
// and SIGTRAP then kills that program; git and objcopy write the breakpoint into other files
// (docs/safety.md). The tool cannot foresee readers that start later.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "proc/maps.h"

namespace uscope::probe {

// The probed offsets in each file; the key is a path that opens the file.
using FileOffsets = std::map<std::string, std::set<uint64_t>>;

// A process that has a probed offset mapped, but does not execute the code there natively.
struct Reader {
    pid_t pid = 0;
    std::string name;              // "valgrind", or the name of the process (comm)
    std::string path;              // of the probed file, as in /proc/PID/maps
    bool is_instrumenter = false;  // the process emulates, records or instruments the code
};
// Returns those of the processes `pids` that are readers, without the calling process.
std::vector<Reader> readers_of(const FileOffsets &offsets, const std::vector<pid_t> &pids);

// Returns a process that reads one of the files now and still after 100 ms. The wait is needed
// because the dynamic linker first maps a library's code only readable, and a moment later
// executable.
std::optional<Reader> find_reader(const FileOffsets &offsets);
// Errors: a process reads one of the files. The error names the process and says what the probes
// would do to it.
Result<> check_readers(const FileOffsets &offsets);
// Errors: the process with these mappings is an emulator, an instrumenter or a recorder.
Result<> check_target(pid_t pid, const std::vector<proc::Mapping> &mappings);

}  // namespace uscope::probe
