// What the kernel reports about processes through a perf event, decoded.
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
        Exited,    // its first thread ended
        Lost,      // `count` records, of any process
    };

    Kind kind = {};
    uint64_t time_ns = 0;  // CLOCK_MONOTONIC
    pid_t tgid = 0, parent = 0;
    uint64_t count = 0;
    std::string comm = {};
    Mapping mapping = {};
};

// Appends the events of the whole records in `records`, as a ring buffer holds them. Records of
// other kinds are passed over; one that contradicts its own size ends the reading.
void decode_events(Bytes records, std::vector<ProcessEvent> &events);

}  // namespace uscope::proc
