// Finds how old a process is, and whether it is still starting.
//
// Some programs copy their own code while they start, to have it in huge pages: node
// --use-largepages, PHP with opcache.huge_code_pages, and programs that LD_PRELOAD a library for
// this. A breakpoint that is copied with the code kills them.
#pragma once

#include <cstdint>
#include <string>

#include <sys/types.h>

namespace uscope::proc {

struct Progress {
    uint64_t age_ms = 0;  // since its fork
    uint64_t cpu_ms = 0;
    bool waits = false;  // its first thread sleeps
};
Progress progress_of(pid_t pid, const std::string &proc = "/proc");

// Has it finished what programs do when they start? Yes if it has used much CPU time, or slept
// between the two observations.
bool has_started(const Progress &before, const Progress &now);

// Does its command line or environment ask for code in huge pages? True if they cannot be read.
bool asks_for_huge_pages(pid_t pid, const std::string &proc = "/proc");

}  // namespace uscope::proc
