// Sorts and prints times.
#include "output/time_table.h"

#include "base/format.h"
#include "output/duration.h"
#include "output/rank.h"

namespace uscope::output {

void append_times(Writer &out, const std::map<std::string, TimeSum> &by_reason)
{
    uint64_t all_ns = 0;
    for (const auto &[reason, time] : by_reason)
        all_ns += time.ns;
    if (!all_ns)
        return;
    out.heading("    TIME      %      WAITS  REASON");
    auto order = ranked(by_reason, [](const TimeSum &time) { return time.ns; }, {});
    for (auto row = order.rbegin(); row != order.rend(); ++row) {
        const auto &[reason, time] = **row;
        append_format(out.buffer(), "{:>8} {:5.1f}% {:>10}  {}\n", duration_text(time.ns),
                      100 * double(time.ns) / double(all_ns), time.count, reason);
    }
}

}  // namespace uscope::output
