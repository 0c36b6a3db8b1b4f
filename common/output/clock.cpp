// Tracks the offset between CLOCK_MONOTONIC and CLOCK_REALTIME.
#include "output/clock.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "base/clock.h"
#include "base/format.h"

namespace uscope::output {
namespace {

constexpr uint64_t second_ns = 1'000'000'000;

std::string seconds(uint64_t ns)
{
    return fmt::format("{}.{:06}", ns / second_ns, ns % second_ns / 1000);
}

std::string local_time(uint64_t unix_ns)
{
    time_t seconds = unix_ns / second_ns;
    tm parts;
    localtime_r(&seconds, &parts);
    return fmt::format("{:02}:{:02}:{:02}", parts.tm_hour, parts.tm_min, parts.tm_sec);
}

}  // namespace

Clock::Clock() : Clock(monotonic_ns, now_unix_ns) {}

Clock::Clock(Read monotonic, Read unix_ns)
    : read_monotonic_(monotonic),
      read_unix_(unix_ns),
      start_ns_(monotonic()),
      unix_offset_ns_(read_offset()),
      checked_ns_(start_ns_)
{
}

// The thread may lose its CPU between two readings of the clocks, so use the pair of readings that
// are closest together.
uint64_t Clock::read_offset() const
{
    uint64_t closest_ns = UINT64_MAX, offset_ns = 0;
    for (int i = 0; i < 8; i++) {
        uint64_t before = read_monotonic_(), real = read_unix_();
        uint64_t took_ns = read_monotonic_() - before;
        if (took_ns < closest_ns)
            offset_ns = real - before - took_ns / 2;
        closest_ns = std::min(closest_ns, took_ns);
    }
    return offset_ns;
}

// The offset between the two clocks changes if the machine sleeps or somebody sets the time, and
// then by more than least_step_ns. NTP does not change the offset: it adjusts the speed of both
// clocks. Ignore smaller differences between readings, so that times do not jitter.
void Clock::check_offset() const
{
    constexpr int64_t least_step_ns = 1'000'000;
    auto is_other = [this](uint64_t offset_ns) {
        return std::abs(int64_t(offset_ns - unix_offset_ns_)) >= least_step_ns;
    };
    if (!is_other(read_unix_() - read_monotonic_()))
        return;
    uint64_t offset_ns = read_offset();
    if (is_other(offset_ns))
        unix_offset_ns_ = offset_ns;
}

uint64_t Clock::unix_ns(uint64_t monotonic_ns) const
{
    constexpr uint64_t pause_ns = 10'000'000;
    if (monotonic_ns > checked_ns_ + pause_ns) {
        checked_ns_ = monotonic_ns;
        check_offset();
    }
    return monotonic_ns + unix_offset_ns_;
}

std::string Clock::since_start(uint64_t monotonic_ns) const
{
    return seconds(monotonic_ns > start_ns_ ? monotonic_ns - start_ns_ : 0);
}

std::string Clock::since_epoch(uint64_t monotonic_ns) const
{
    return seconds(unix_ns(monotonic_ns));
}

std::string Clock::time_of_day(uint64_t monotonic_ns) const
{
    uint64_t ns = unix_ns(monotonic_ns);
    return fmt::format("{}.{:06}", local_time(ns), ns % second_ns / 1000);
}

uint64_t Clock::now_unix_ns()
{
    timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return uint64_t(time.tv_sec) * second_ns + uint64_t(time.tv_nsec);
}

std::string Clock::now()
{
    return local_time(now_unix_ns());
}

}  // namespace uscope::output
