// Reads the programs' counters of losses, and writes notes and JSON objects.
#include "run/losses.h"

#include <numeric>

#include "attach/kprobe.h"
#include "kernel/map.h"
#include "output/json.h"
#include "run/tool.h"

namespace uscope::run {

Losses::Losses(int map, Style style)
    : map_(map), style_(std::move(style)), before_(style_.reasons.size())
{
}

Result<> Losses::report(Tool &tool)
{
    if (map_ < 0)
        return {};
    auto counts = TRY(kernel::read_counters(map_, before_.size()));
    for (size_t i = 0; i < counts.size(); i++) {
        if (counts[i] > before_[i])
            report(tool, i, counts[i] - before_[i]);
    }
    before_ = std::move(counts);
    report_missed(tool);
    return {};
}

void Losses::report_missed(Tool &tool)
{
    constexpr std::string_view what = "hits of kernel probes",
                               reason = "another probe or program was running on that CPU";
    uint64_t missed = attach::missed_kernel_hits();
    if (missed <= missed_before_)
        return;
    uint64_t count = missed - missed_before_;
    missed_before_ = missed;
    record_loss(tool, count, what, reason);
    tool.warn("lost {} {}: {}", count, what, reason);
}

uint64_t Losses::total() const
{
    return std::accumulate(before_.begin(), before_.end(), uint64_t());
}

void record_loss(Tool &tool, uint64_t count, std::string_view what, std::string_view reason)
{
    tool.count_loss(count, what, reason);
    if (!tool.json())
        return;
    output::notice(tool.out().buffer(), "lost")
        .add("count", count)
        .add("what", what)
        .add("reason", reason)
        .end_line();
}

void Losses::report(Tool &tool, size_t index, uint64_t count) const
{
    const std::string &reason = style_.reasons[index];
    if (index >= style_.json_from)
        record_loss(tool, count, style_.what, reason);
    else
        tool.count_loss(count, style_.what, reason);
    if (style_.reported == Reported::AsLost)
        tool.warn("lost {} {}: {}", count, style_.what, reason);
    else
        tool.warn("{} {} are not counted: {}", count, style_.what, reason);
}

}  // namespace uscope::run
