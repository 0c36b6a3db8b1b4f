// The options of tools that show single events.
#pragma once

#include <optional>

#include "run/tool.h"

namespace uscope::run {

struct EventOptions {
    std::optional<uint64_t> max_events = {};
    std::optional<double> duration = {};
    ByteSize buffer = {8 << 20};
    uint64_t least_buffer = 128 << 10;
    bool json = false;
    bool full = false;

    // Declares -n, -d and --json. `rows`: what -n counts, such as "lines" or "statements".
    // `number`: the letter of -n; 0 if -n is another option of the tool.
    void declare(Tool &tool, const std::string &rows = "lines", char number = 'n');
    void declare_duration(Tool &tool);  // declares only -d and --json
    void declare_full(Tool &tool);      // declares --full: do not cut lines at the terminal's width
    void declare_buffer(Tool &tool);    // declares --buffer, in the group "Working"
    Result<> check() const;

    uint32_t buffer_bytes() const;  // a power of two, as ring buffers require
};

}  // namespace uscope::run
