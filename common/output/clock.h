// Converts the times of events, which the kernel takes on CLOCK_MONOTONIC, to readable times.
#pragma once

#include <cstdint>
#include <string>

namespace uscope::output {

class Clock {
  public:
    using Read = uint64_t (*)();  // nanoseconds

    Clock();                              // the tool's start is now
    Clock(Read monotonic, Read unix_ns);  // for tests

    // Nanoseconds since 1970, off by the time between the readings of two clocks (< 1 us). If the
    // machine sleeps or somebody sets the time, later events have the new time.
    uint64_t unix_ns(uint64_t monotonic_ns) const;

    using Form = std::string (Clock::*)(uint64_t monotonic_ns) const;
    // Texts for an event's time: "12.345678" seconds since the tool's start, "1700000000.123456"
    // seconds since 1970, "17:05:59.123456" local time.
    std::string since_start(uint64_t monotonic_ns) const;
    std::string since_epoch(uint64_t monotonic_ns) const;
    std::string time_of_day(uint64_t monotonic_ns) const;

    // The current time, for output at the end of an interval.
    static uint64_t now_unix_ns();
    static std::string now();  // "17:05:59"

  private:
    uint64_t read_offset() const;
    void check_offset() const;

    Read read_monotonic_, read_unix_;
    uint64_t start_ns_;
    mutable uint64_t unix_offset_ns_, checked_ns_;
};

}  // namespace uscope::output
