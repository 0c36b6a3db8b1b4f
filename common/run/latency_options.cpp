// Declares and reads the options.
#include "run/latency_options.h"

#include "run/tool.h"
#include "run/value.h"

namespace uscope::run {

void LatencyOptions::declare_min(Tool &tool)
{
    tool.option(0, "min", min_text_, "TIME",
                "only calls that take at least TIME, such as 10ms (default unit: the one shown)");
}

void LatencyOptions::declare_unit(Tool &tool)
{
    tool.flag('u', "microseconds", usecs_, "in microseconds instead of nanoseconds");
    tool.flag('m', "milliseconds", msecs_, "in milliseconds");
}

Result<> LatencyOptions::check() const
{
    if (usecs_ && msecs_)
        return fail_usage("-u and -m exclude each other");
    return {};
}

LatencyUnit LatencyOptions::unit() const
{
    using Heatmap = output::Heatmap::Unit;
    if (msecs_)
        return {1'000'000, "msecs", "ms", Heatmap::Msecs};
    if (usecs_)
        return {1000, "usecs", "us", Heatmap::Usecs};
    return {1, "nsecs", "ns", Heatmap::Nsecs};
}

Result<uint64_t> LatencyOptions::min_ns() const
{
    return parse_time("--min", min_text_, unit().ns);
}

}  // namespace uscope::run
