// Processes to which the code of a file is data.
//
// A probe on a file without a process is a breakpoint in every private mapping of the file that may not be written to: also
// in that of a process that only reads it. valgrind and qemu-user translate what they find there, and what they run ends by SIGTRAP;
// git and objcopy write it to other files (docs/safety.md). Who comes later cannot be known.
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

// Of places in files, by a path that leads to the file.
using FileOffsets = std::map<std::string, std::set<uint64_t>>;

// A process has one of these places mapped, and does not execute it by itself.
struct Reader {
    pid_t pid = 0;
    std::string name;              // "valgrind", or the process's own
    std::string path;              // of the file, as maps shows it
    bool is_instrumenter = false;  // it runs the code in its own way
};
// Without this process.
std::vector<Reader> readers_of(const FileOffsets &places, const std::vector<pid_t> &pids);

// One that reads them now and 100 ms later (the dynamic linker maps a library's code twice, first to be read).
std::optional<Reader> find_reader(const FileOffsets &places);
// Errors: there is one. They say which, and what would happen.
Result<> check_readers(const FileOffsets &places);
// Errors: the process with these mappings is an emulator, an instrumenter or a recorder.
Result<> check_target(pid_t pid, const std::vector<proc::Mapping> &mappings);

}  // namespace uscope::probe
