// Makes lines of event records: BCC's columns, the message, the stacks - or one JSON object.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.h"

namespace uscope::output {
class Writer;
}
namespace uscope::stack {
class ProcessHistory;
}

namespace uscope::probe {

class ProbeSet;
class Unwinder;

struct PrintOptions {
    bool json = false, raw = false;
    bool time_since_start = false, unix_time = false, wall_time = false, cpu = false;
    bool goroutine = false;
    bool user_stack = false, kernel_stack = false, addresses = false, lines = false;
    uint32_t string_bytes = 80;
    std::string name_filter, message_filter;  // comm and message must contain them
};

// Makes an event of a record, and a row of the event. Everything is reused: a flood allocates
// nothing.
class EventPrinter {
  public:
    // `unwinder` outlives this object.
    EventPrinter(output::Writer &writer, const PrintOptions &options, const ProbeSet &probes,
                 Unwinder &unwinder);

    ~EventPrinter();

    void header();
    stack::ProcessHistory &history();
    // False: the filters of -n and -f do not want it.
    bool print(Bytes record);

  private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace uscope::probe
