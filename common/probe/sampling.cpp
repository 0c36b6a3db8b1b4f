// Parses the share of events to count, and scales counts.
#include "probe/sampling.h"

#include <charconv>
#include <cmath>

#include "base/format.h"
#include "output/json.h"

namespace uscope::probe {
namespace {

constexpr double all_chances = 4294967296.0;  // 2^32

}  // namespace

void Sampling::declare(run::Tool &tool, std::string_view handle, std::string_view rest)
{
    tool.option(0, "every", run::InRange{every_, 1, 1u << 30}, "N",
                fmt::format("{} only one of N events on each CPU{}", handle, rest));
    tool.option(0, "sample", rate_, "RATE",
                fmt::format("{} each event with this probability, such as 0.01 or 1%", handle));
}

Result<> Sampling::check()
{
    if (rate_.empty())
        return {};
    if (every_ > 1)
        return fail_usage("--every and --sample exclude each other");
    double rate = 0;
    bool is_percent = rate_.ends_with('%');
    const char *end = rate_.data() + rate_.size() - is_percent;
    auto [stop, error] = std::from_chars(rate_.data(), end, rate);
    rate /= is_percent ? 100 : 1;
    if (error != std::errc() || stop != end || !(rate >= 1e-9 && rate <= 1))
        return fail_usage("--sample: \"{}\" is not a rate: use 0.01 or 1%, at most 1", rate_);
    chance_ = rate < 1 ? uint32_t(std::lround(rate * all_chances)) : 0;
    return {};
}

kernel::Sum::Total Sampling::scaled(kernel::Sum::Total total) const
{
    if (!chance_)
        return total * every_;
    return kernel::Sum::Total(std::round(double(total) * (all_chances / double(chance_))));
}

histogram_slot Sampling::scaled(const histogram_slot &slot) const
{
    if (!any())
        return slot;
    histogram_slot scaled_slot = slot;
    scaled_slot.count = scaled(uint64_t(slot.count));
    scaled_slot.sum = scaled(uint64_t(slot.sum));
    return scaled_slot;
}

void Sampling::note(run::Tool &tool, bool shows_events) const
{
    if (!any())
        return;
    std::string share = chance_ ? fmt::format("a sample of {}", rate_)
                                : fmt::format("one event of {} on each CPU", every_);
    if (shows_events)
        tool.note("not all events are shown, only {}", share);
    else
        tool.note("the numbers are estimates from {}", share);
    if (tool.json()) {
        output::JsonObject object = output::notice(tool.out().buffer(), "sampled");
        object.add("rate", output::Cell::json(fmt::format(
                               "{}", chance_ ? double(chance_) / all_chances : 1.0 / every_)));
        object.end_line();
    }
}

}  // namespace uscope::probe
