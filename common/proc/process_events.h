// Decodes the records in which the kernel reports through a perf event what processes do.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "base/bytes.h"
#include "proc/maps.h"

namespace uscope::proc {

struct ProcessEvent {
    enum class Kind : uint8_t {
        Mapped,    // the process made `mapping`
        Forked,    // `parent` forked the process (not: created a thread)
        Executed,  // the process executed a program and is now called `comm`
        Exited,    // the first thread of the process exited
        Lost,      // `count` records were lost, of any process
    };

    Kind kind = {};
    uint64_t time_ns = 0;  // CLOCK_MONOTONIC
    pid_t tgid = 0, parent = 0;
    uint64_t count = 0;
    std::string comm = {};
    Mapping mapping = {};
};

// Decodes `records`, the data of a ring buffer, and appends the events to `events`. Skips records
// of other kinds. Stops at a record that is incomplete or has an invalid size.
void decode_events(Bytes records, std::vector<ProcessEvent> &events);

}  // namespace uscope::proc
