// Makes lines of event records: BCC's columns, the message, the stacks - or one JSON object.
#pragma once

#include <string>
#include <vector>

#include "output/clock.h"
#include "output/printf.h"
#include "output/table.h"
#include "probe/set.h"
#include "probe/values.h"
#include "stack/symbolize.h"

namespace uscope::probe {

struct PrintOptions {
    bool json = false, raw = false;
    bool time_since_start = false, unix_time = false, wall_time = false, cpu = false;
    bool user_stack = false, kernel_stack = false, addresses = false;
    uint32_t string_bytes = 80;
    std::string name_filter, message_filter;  // comm and message must contain them
};

// Makes an event of a record, and a row of the event. Everything is reused: a flood allocates
// nothing.
class EventPrinter {
  public:
    EventPrinter(output::Writer &writer, const PrintOptions &options, const Set &probes);

    void header() { table_.header(); }
    void notice(std::string_view json) { table_.line({}, json); }
    stack::UserSymbols &user_symbols() { return user_symbols_; }
    // False: the filters of -n and -f do not want it.
    bool print(Bytes record);

  private:
    static std::vector<output::Column> columns(const PrintOptions &options, const Set &probes);

    void make_message(const Program &program, Bytes record, uint32_t layout, pid_t tgid);
    void make_time(uint64_t ts_ns);
    std::vector<std::string> frames(Bytes addresses, int32_t status, bool is_user, pid_t tgid,
                                    uint64_t caller);
    output::Cell stack_cell(const std::vector<std::string> &frames, fmt::memory_buffer &json);

    const PrintOptions &options_;
    const Set &probes_;
    Values reader_;
    output::Table table_;
    output::Clock clock_;
    stack::UserSymbols user_symbols_;
    stack::KernelSymbols kernel_symbols_;
    std::vector<output::Value> values_;
    std::vector<std::string> symbols_;  // texts of %K and %U
    std::vector<output::Cell> cells_;
    fmt::memory_buffer message_, arguments_, time_, user_json_, kernel_json_;
};

}  // namespace uscope::probe
