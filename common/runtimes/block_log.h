// Prints a line for each block of memory that a program allocates or frees: memleak -t.
#pragma once

#include <optional>

#include <bpf/libbpf.h>

#include "base/result.h"
#include "bpf/runtimes/memleak.h"
#include "kernel/ring.h"
#include "output/clock.h"
#include "output/rows.h"
#include "run/tool.h"

namespace uscope::run {
class Loop;
}

namespace uscope::runtimes {

// `clock` outlives the fields.
output::Rows<memleak_event>::Fields block_event_fields(const output::Clock &clock);

class BlockLog {
  public:
    BlockLog(run::Tool &tool, bool json)
        : tool_(tool), rows_(tool.out(), block_event_fields(clock_), json)
    {
    }
    // `events`: a ring buffer of memleak_event. Prints the header.
    Result<> open(bpf_map *events);
    // Makes the loop read the buffer.
    Result<> follow(run::Loop &loop);
    // Prints the events in the buffer. `last`: no more events will come.
    void drain(bool last = false);

  private:
    run::Tool &tool_;
    output::Clock clock_;
    output::Rows<memleak_event> rows_;
    std::optional<kernel::RingReader> reader_;
    int fd_ = -1;
};

}  // namespace uscope::runtimes
