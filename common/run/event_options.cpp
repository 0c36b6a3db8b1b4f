// Declares and checks the options of tools that show single events.
#include "run/event_options.h"

#include <algorithm>
#include <bit>

#include <unistd.h>

#include "base/format.h"

namespace uscope::run {
namespace {

constexpr uint64_t largest_buffer = 1 << 30;  // bytes
constexpr double shortest_s = 0.001, longest_s = 4e6;

}  // namespace

void EventOptions::declare(Tool &tool, const std::string &rows, char number)
{
    tool.option(number, "number,M,max-events", max_events, "N",
                fmt::format("end after N {}", rows));
    declare_duration(tool);
}

void EventOptions::declare_duration(Tool &tool)
{
    tool.option('d', "duration", duration, "SECONDS", "end after this time: 90, 500ms, 5m");
    tool.json_flag(json, "line, with all fields", Tool::Forms::JsonAndCsv);
}

void EventOptions::declare_full(Tool &tool)
{
    tool.flag(0, "full", full, "do not cut lines at the terminal's width");
}

void EventOptions::declare_buffer(Tool &tool)
{
    tool.group("Working");
    tool.option(
        0, "buffer", buffer, "SIZE",
        fmt::format("size of the event buffer, such as 16M (default {}M)", buffer.bytes >> 20));
}

Result<> EventOptions::check() const
{
    if (max_events == 0u)
        return fail_usage("-M 0 would show nothing: give at least 1");
    if (duration && !(*duration >= shortest_s && *duration <= longest_s))
        return fail_usage("-d takes {} to {} seconds", shortest_s, longest_s);
    if (buffer.bytes < least_buffer || buffer.bytes > largest_buffer)
        return fail_usage("--buffer takes {}K to {}M", (least_buffer + 1023) >> 10,
                          largest_buffer >> 20);
    return {};
}

uint32_t EventOptions::buffer_bytes() const
{
    uint64_t page = sysconf(_SC_PAGESIZE);
    return std::bit_ceil(std::max(buffer.bytes, page));
}

}  // namespace uscope::run
