// Parses the options of intervals, and runs the loop with their timers.
#include "run/interval.h"

#include "base/clock.h"
#include "base/format.h"
#include "base/progress.h"
#include "output/clock.h"
#include "run/loop.h"
#include "run/target_watch.h"
#include "run/tool.h"

namespace uscope::run {

void Intervals::declare(Tool &tool, const Style &style)
{
    interval_ = style.interval;
    timestamps_ = style.always_time;
    duration_name_ = style.duration;
    tool.option('i', "interval", interval_, "SECONDS",
                interval_ ? fmt::format("show results at this interval (default {})", *interval_)
                          : "show results at this interval, not only at the end");
    tool.option(style.duration, "duration", duration_, "SECONDS",
                "end after this time: 90, 500ms, 5m");
    tool.option('n', "number", outputs_, "N",
                interval_ ? "end after N intervals" : "with -i: end after N intervals");
    if (!style.always_time)
        tool.flag('T', "timestamp", timestamps_, "print the time of day before each output");
    if (style.live)
        live_.declare(tool);
}

Result<> Intervals::take_duration(const std::vector<std::string> &words)
{
    if (words.size() > 1)
        return fail_usage("unexpected argument \"{}\": expected DURATION", words[1]);
    return words.empty() ? Result<>() : parse_value(words[0], duration_);
}

Result<> Intervals::take_interval(const std::vector<std::string> &words)
{
    if (words.size() > 2)
        return fail_usage("unexpected argument \"{}\": expected INTERVAL and COUNT", words[2]);
    if (!words.empty())
        TRY(parse_value(words[0], interval_));
    return words.size() < 2 ? Result<>() : parse_value(words[1], outputs_);
}

Result<> Intervals::check() const
{
    constexpr double shortest = 0.001, longest = 1e6;
    for (auto [value, name] : {std::pair(interval_, 'i'), std::pair(duration_, duration_name_)}) {
        if (value && (*value < shortest || *value > longest))
            return fail_usage("-{} takes {} to {} seconds", name, shortest, longest);
    }
    if (outputs_ && !interval_)
        return fail_usage("-n counts intervals: give -i");
    if (outputs_ == 0u)
        return fail_usage("-n 0 would show nothing: give at least 1");
    return live_.check();
}

void Intervals::append_time(std::string &out) const
{
    if (!timestamps_)
        return;
    append_format(out, "[{}]\n", output::Clock::now());
}

Result<> Intervals::run(Tool &tool, const std::string &what, Targets targets,
                        const std::function<Result<>()> &show,
                        const std::function<Result<>(Loop &)> &prepare)
{
    Loop loop = TRY(Loop::create());
    Result<> shown;
    uint64_t outputs = 0;
    auto write = [&] {
        Work work("preparing the output");
        shown = show();
    };
    auto output = [&] {
        if (live_.is_paused())
            return;
        if (!live_.draw(write)) {
            if (shows_totals() && !loop.stopped())
                return;
            write();
        }
        tool.out().flush();
        if (!shown || !tool.out().ok() || ++outputs == outputs_)
            loop.stop();
    };
    TargetWatch watch(std::move(targets), [&] { loop.stop(); });
    watch.report_execs_to(tool);
    TRY(watch.watch(loop));
    TRY(live_.start(tool, loop, output));
    if (prepare)
        TRY(prepare(loop));
    // When the time of -d has passed, there is an output anyway. So this skips the output of an
    // interval that ends less than half an interval before that.
    uint64_t start_ns = monotonic_ns();
    auto ends_now = [&] {
        double passed = double(monotonic_ns() - start_ns) * 1e-9;
        return duration_ && interval_ && passed > *duration_ - *interval_ / 2;
    };
    constexpr double live_interval = 1;
    if (interval_ || shows_totals()) {
        TRY(loop.every(interval_.value_or(live_interval) * 1000, [&] {
            if (!ends_now())
                output();
        }));
    }
    if (duration_)
        TRY(loop.once_after(*duration_ * 1000, [&] { loop.stop(); }));

    tool.ready(what);
    TRY(loop.run());
    if (shown && tool.out().ok() && outputs != outputs_)
        output();
    else if (shown)
        live_.append_last(tool.out().buffer());
    watch.report_lost(tool);
    tool.report_stats();
    return shown;
}

}  // namespace uscope::run
