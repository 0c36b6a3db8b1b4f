// Finds out how old a process is, and whether its program is still starting.
//
// Some programs copy their own code into huge pages while they start: node --use-largepages, PHP
// with opcache.huge_code_pages, and programs with a library for this in LD_PRELOAD. If the copied
// code contains a breakpoint, the breakpoint later kills the program.
#pragma once

#include <cstdint>
#include <string>

#include <sys/types.h>

namespace uscope::proc {

// What is known about a process at one moment.
struct Progress {
    uint64_t age_ms = 0;  // since it was forked
    uint64_t cpu_ms = 0;  // the CPU time that it has used
    bool waits = false;   // its first thread sleeps
};
Progress progress_of(pid_t pid, const std::string &proc = "/proc");

// Has the process finished what programs do when they start? Returns true if it has used 500 ms of
// CPU time, or if it slept from the first observation to the second.
bool has_started(const Progress &before, const Progress &now);

// Does the process's command line or environment ask for code in huge pages? Also true if they
// cannot be read.
bool asks_for_huge_pages(pid_t pid, const std::string &proc = "/proc");

}  // namespace uscope::proc
