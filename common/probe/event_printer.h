// Formats the event records of trace: as a line with the columns of BCC's trace and the message,
// followed by the stacks, or as one JSON object.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace uscope::output {
class Writer;
}
namespace uscope::symbols {
class ProcessHistory;
}  // namespace uscope::symbols

namespace uscope::stacks {
class Unwinder;
}  // namespace uscope::stacks

namespace uscope::probe {

class ProbeSet;

struct PrintOptions {
    bool json = false, raw = false;
    bool time_since_start = false, unix_time = false, wall_time = false, cpu = false;
    bool goroutine = false;
    bool user_stack = false, kernel_stack = false, addresses = false, lines = false;
    uint32_t string_bytes = 80;
    // Only events whose comm or message contains one of these texts are shown; empty: all events.
    std::vector<std::string> name_filters, message_filters;
};

// Decodes each record into an event and prints it. Buffers are reused for the next event, so that a
// flood of events allocates no memory.
class EventPrinter {
  public:
    // `unwinder` outlives this object.
    EventPrinter(output::Writer &writer, const PrintOptions &options, const ProbeSet &probes,
                 stacks::Unwinder &unwinder);

    ~EventPrinter();

    void header();
    symbols::ProcessHistory &history();
    // Returns false if the filters of -n or -f reject the event, or the record is not valid.
    bool print(Bytes record);

  private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace uscope::probe
