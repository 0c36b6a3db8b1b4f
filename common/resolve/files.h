// Finds the files that a probe's program or library means.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "elf/functions.h"
#include "proc/library.h"

namespace uscope::resolve {

struct OpenedFile {
    proc::FoundFile file;
    std::shared_ptr<const elf::Image> image;
};

// In a list of processes, this stands for processes that start later. For these, a name is looked
// up without a process: it means the machine's own file.
constexpr pid_t later_processes = 0;

// Returns the name by which users call a library: "libpthread.so.0" -> "pthread".
std::string_view short_name(std::string_view name);

// Errors: the file is not an ELF file that can be read, or is for another architecture.
Result<OpenedFile> open_file(proc::FoundFile file);

// How to read the symbols and the debug information of a file that is traced: debug files may be
// downloaded.
elf::SymbolOptions symbol_options(const proc::FoundFile &file);
// "/usr/bin/x has no debug information (build-id 43ab…; /usr/lib/debug/… does not exist)"
std::string without_debug(const OpenedFile &opened);

// Returns the files that `name` means for the processes, each file once; at least one. If `pids` is
// empty, that is the one file that the name means for every process. A pattern
// ("/usr/bin/python3*", "*") means all files that match (proc/file_pattern.h) and that the
// processes map; if `pids` is empty, all that match on this machine.
Result<std::vector<OpenedFile>> find_files(std::string_view name, const std::vector<pid_t> &pids);

}  // namespace uscope::resolve
