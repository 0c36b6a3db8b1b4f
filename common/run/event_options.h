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

    // -n, -d, --json. `rows`: what -n counts, "lines", "statements"; `number`: 0 if the tool's -n
    // is another option.
    void declare(Tool &tool, const std::string &rows = "lines", char number = 'n');
    void declare_duration(Tool &tool);  // only -d and --json
    void declare_full(Tool &tool);      // --full: do not cut lines at the terminal's width
    void declare_buffer(Tool &tool);    // --buffer, in the group "Working"
    Result<> check() const;

    uint32_t buffer_bytes() const;  // a power of two, as ring buffers require
};

}  // namespace uscope::run
