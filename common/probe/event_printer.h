// Makes lines of event records: BCC's columns, the message, the stacks - or one JSON object.
#pragma once

#include <string>
#include <vector>

#include "attach/kernel_names.h"
#include "output/clock.h"
#include "output/printf.h"
#include "output/rows.h"
#include "probe/set.h"
#include "probe/unwinder.h"
#include "probe/values.h"
#include "stack/history.h"

namespace uscope::probe {

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
    EventPrinter(output::Writer &writer, const PrintOptions &options, const Set &probes,
                 Unwinder &unwinder);

    void header() { rows_.header(); }
    stack::History &history() { return history_; }
    // False: the filters of -n and -f do not want it.
    bool print(Bytes record);

  private:
    struct Line;
    using Stack = std::vector<std::string>;
    output::Rows<Line>::Fields fields() const;
    void read_values(const Program &program, Bytes record, uint32_t layout);
    void make_message(const Program &program, pid_t tgid);
    std::string time_of(uint64_t ts_ns) const;
    void add_frame(const stack::Frame &frame, uint64_t address, Stack &lines) const;
    Stack user_frames(const Program &program, uint64_t id, pid_t tgid);
    Stack kernel_frames(Bytes addresses, int32_t status, uint64_t caller);

    const PrintOptions &options_;
    const Set &probes_;
    Values reader_;
    output::Clock clock_;
    output::Rows<Line> rows_;
    Unwinder &unwinder_;
    stack::History history_;
    attach::KernelNames kernel_names_;
    std::vector<output::Value> values_;
    output::Cell goroutine_;
    std::vector<std::string> symbols_;  // texts of %K and %U
    std::string message_, arguments_;
};

}  // namespace uscope::probe
