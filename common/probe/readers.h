// Finds processes that read a file's code as data.
//
// A probe that is attached to a file for all processes is a breakpoint in every private mapping of
// the file that is not writable: also in the mapping of a process that only reads the file.
// valgrind and qemu-user translate the breakpoint, and SIGTRAP kills the program that they run; git
// and objcopy write it to other files (docs/safety.md). Readers that start later cannot be
// foreseen.
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

// Probed offsets in files, by a path that opens the file.
using FileOffsets = std::map<std::string, std::set<uint64_t>>;

// A process that has a probed offset mapped, but does not execute the code there natively.
struct Reader {
    pid_t pid = 0;
    std::string name;              // "valgrind", or the name of the process (comm)
    std::string path;              // the file's, as in /proc/PID/maps
    bool is_instrumenter = false;  // it emulates, records or instruments the code
};
// Never includes the calling process.
std::vector<Reader> readers_of(const FileOffsets &offsets, const std::vector<pid_t> &pids);

// Returns a process that still reads the files after 100 ms: the dynamic linker first maps a
// library's code readable, and then again executable.
std::optional<Reader> find_reader(const FileOffsets &offsets);
// Errors: a process reads the files; they name it and say what the probes would do.
Result<> check_readers(const FileOffsets &offsets);
// Errors: the process with these mappings is an emulator, an instrumenter or a recorder.
Result<> check_target(pid_t pid, const std::vector<proc::Mapping> &mappings);

}  // namespace uscope::probe
