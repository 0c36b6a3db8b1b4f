// Finds the files that a probe's program or library means.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "proc/library.h"

namespace uscope::elf {
class Image;
}

namespace uscope::resolve {

struct OpenedFile {
    proc::FoundFile file;
    std::shared_ptr<const elf::Image> image;
};

// In a list of processes: those that start later. For these, a name means the machine's own file.
constexpr pid_t later_processes = 0;

// Errors: not an ELF file that can be read, or for another architecture.
Result<OpenedFile> open_file(proc::FoundFile file);

// Returns the files that `name` means for the processes, each once; at least one. `pids` empty: the
// one file that it means for every process. A pattern ("/usr/bin/python3*", "*") means all that
// match (proc/file_pattern.h), among the files of running processes if there are any.
Result<std::vector<OpenedFile>> find_files(std::string_view name, const std::vector<pid_t> &pids);

}  // namespace uscope::resolve
