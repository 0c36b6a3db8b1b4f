// Decodes what the kernel reports about processes through a perf event.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "base/bytes.h"
#include "proc/maps.h"

namespace uscope::proc {

struct ProcessEvent {
    enum class Kind : uint8_t {
        Mapped,    // `mapping`
        Forked,    // a process, not a thread; `parent`
        Executed,  // `comm`
        Exited,    // its first thread exited
        Lost,      // `count` records, of any process
    };

    Kind kind = {};
    uint64_t time_ns = 0;  // CLOCK_MONOTONIC
    pid_t tgid = 0, parent = 0;
    uint64_t count = 0;
    std::string comm = {};
    Mapping mapping = {};
};

// Appends the events in `records`, the data of a ring buffer. Skips records of other kinds; stops
// at one that is incomplete or whose size is invalid.
void decode_events(Bytes records, std::vector<ProcessEvent> &events);

}  // namespace uscope::proc
