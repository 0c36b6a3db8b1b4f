// How long a process has been there, and whether it still starts.
//
// Some programs copy their own code while they start, to have it in huge pages: node --use-largepages, PHP with
// opcache.huge_code_pages, what LD_PRELOADs such a library. A breakpoint that is copied with the code ends them.
#pragma once

#include <cstdint>
#include <string>

#include <sys/types.h>

namespace uscope::proc {

struct Progress {
    uint64_t age_ms = 0;  // since it was forked
    uint64_t cpu_ms = 0;
    bool waits = false;  // its first thread sleeps
};
Progress progress_of(pid_t pid, const std::string &proc = "/proc");

// Has it done what programs do at their start? It has computed for long, or waits for something: from one look (`before`) to
// the next.
bool has_started(const Progress &before, const Progress &now);

// Do its command line or environment ask for code in huge pages?
bool asks_for_huge_pages(pid_t pid, const std::string &proc = "/proc");

}  // namespace uscope::proc
