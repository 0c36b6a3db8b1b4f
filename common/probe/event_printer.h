// Formats event records: as BCC's columns, the message and the stacks, or as one JSON object.
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
    // comm and message must contain one of them; empty: any
    std::vector<std::string> name_filters, message_filters;
};

// Decodes a record into an event and prints the event as a row. Buffers are reused, so that a flood
// of events allocates nothing.
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
