#include "output/clock.h"

#include <ctime>

namespace uscope::output {
namespace {

constexpr uint64_t second_ns = 1'000'000'000;

uint64_t read(clockid_t clock)
{
    timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * second_ns + time.tv_nsec;
}

void append_seconds(fmt::memory_buffer &out, uint64_t ns)
{
    fmt::format_to(fmt::appender(out), "{}.{:06}", ns / second_ns, ns % second_ns / 1000);
}

}  // namespace

Clock::Clock() : start_ns_(read(CLOCK_MONOTONIC)), unix_offset_ns_(read(CLOCK_REALTIME) - start_ns_)
{
}

void Clock::append_since_start(fmt::memory_buffer &out, uint64_t monotonic_ns) const
{
    append_seconds(out, monotonic_ns > start_ns_ ? monotonic_ns - start_ns_ : 0);
}

void Clock::append_unix(fmt::memory_buffer &out, uint64_t monotonic_ns) const
{
    append_seconds(out, unix_ns(monotonic_ns));
}

void Clock::append_time_of_day(fmt::memory_buffer &out, uint64_t monotonic_ns) const
{
    time_t seconds = unix_ns(monotonic_ns) / second_ns;
    tm parts;
    localtime_r(&seconds, &parts);
    fmt::format_to(fmt::appender(out), "{:02}:{:02}:{:02}", parts.tm_hour, parts.tm_min,
                   parts.tm_sec);
}

}  // namespace uscope::output
