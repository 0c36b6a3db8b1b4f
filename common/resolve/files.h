// The files that a probe's program or library means.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "elf/image.h"
#include "proc/library.h"

namespace uscope::resolve {

struct OpenedFile {
    proc::FoundFile file;
    std::shared_ptr<const elf::Image> image;
};

// The files that `name` means for the processes, each once; at least one. No processes: the one
// file it means for every process.
Result<std::vector<OpenedFile>> find_files(std::string_view name, const std::vector<pid_t> &pids);

// Every file that the processes map, each once.
Result<std::vector<OpenedFile>> mapped_files(const std::vector<pid_t> &pids);

}  // namespace uscope::resolve
