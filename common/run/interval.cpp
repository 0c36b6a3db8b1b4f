#include "run/interval.h"

#include <ctime>

#include "run/loop.h"

namespace uscope::run {

void Intervals::declare(Tool &tool)
{
    tool.option('i', "interval", interval_, "SECONDS", "show every so often, not only at the end");
    tool.option('d', "duration", duration_, "SECONDS", "end after this time");
    tool.option('n', "number", outputs_, "N", "with -i: end after N times");
    tool.flag('T', "timestamp", timestamps_, "the time of day before what is shown");
}

Result<> Intervals::check() const
{
    constexpr double shortest = 0.001, longest = 1e6;
    for (auto [value, name] : {std::pair(interval_, "-i"), std::pair(duration_, "-d")}) {
        if (value && (*value < shortest || *value > longest))
            return fail_usage("{} takes {} to {} seconds", name, shortest, longest);
    }
    if (outputs_ && !interval_)
        return fail_usage("-n counts intervals: give -i");
    if (outputs_ == 0u)
        return fail_usage("-n 0 would show nothing: give at least 1");
    return {};
}

void Intervals::append_time(fmt::memory_buffer &out) const
{
    if (!timestamps_)
        return;
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    out.push_back('[');
    output::Clock().append_time_of_day(out, now.tv_sec * 1'000'000'000ull + now.tv_nsec);
    out.push_back(']');
    out.push_back('\n');
}

Result<> Intervals::run(Tool &tool, const std::vector<pid_t> &processes,
                        const std::function<Result<>()> &show)
{
    Loop loop = TRY(Loop::create());
    Result<> shown;
    uint64_t outputs = 0;
    size_t left = processes.size();
    auto output = [&] {
        shown = show();
        tool.out().flush();
        if (!shown || !tool.out().ok() || ++outputs == outputs_)
            loop.stop();
    };
    for (pid_t pid : processes) {
        TRY(loop.on_exit(pid, [&] {
            if (--left == 0)
                loop.stop();
        }));
    }
    if (interval_)
        TRY(loop.every(*interval_ * 1000, output));
    if (duration_)
        TRY(loop.once_after(*duration_ * 1000, [&] { loop.stop(); }));

    tool.ready();
    TRY(loop.run());
    if (shown && tool.out().ok() && outputs != outputs_)
        output();
    return shown;
}

}  // namespace uscope::run
