#include "output/clock.h"

#include <algorithm>
#include <ctime>

#include "base/format.h"

namespace uscope::output {
namespace {

constexpr uint64_t second_ns = 1'000'000'000;

uint64_t read(clockid_t clock)
{
    timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * second_ns + time.tv_nsec;
}

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

Clock::Clock() : start_ns_(read(CLOCK_MONOTONIC))
{
    // Between two readings the thread may lose its processor: the closest ones count.
    uint64_t closest_ns = UINT64_MAX;
    for (int i = 0; i < 8; i++) {
        uint64_t before = read(CLOCK_MONOTONIC), real = read(CLOCK_REALTIME);
        uint64_t took_ns = read(CLOCK_MONOTONIC) - before;
        if (took_ns < closest_ns)
            unix_offset_ns_ = real - before - took_ns / 2;
        closest_ns = std::min(closest_ns, took_ns);
    }
}

std::string Clock::since_start(uint64_t monotonic_ns) const
{
    return seconds(monotonic_ns > start_ns_ ? monotonic_ns - start_ns_ : 0);
}

std::string Clock::since_start_ms(uint64_t monotonic_ns) const
{
    std::string text = since_start(monotonic_ns);
    return text.substr(0, text.size() - 3);
}

std::string Clock::since_epoch(uint64_t monotonic_ns) const
{
    return seconds(unix_ns(monotonic_ns));
}

std::string Clock::time_of_day(uint64_t monotonic_ns) const
{
    return local_time(unix_ns(monotonic_ns));
}

uint64_t Clock::now_unix_ns()
{
    return read(CLOCK_REALTIME);
}

uint64_t Clock::now_monotonic_ns()
{
    return read(CLOCK_MONOTONIC);
}

std::string Clock::now()
{
    return local_time(now_unix_ns());
}

}  // namespace uscope::output
