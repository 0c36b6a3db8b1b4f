// Times of events, taken by the kernel on CLOCK_MONOTONIC, for people.
#pragma once

#include <cstdint>
#include <string>

namespace uscope::output {

class Clock {
  public:
    Clock();  // the tool's start is now

    // Nanoseconds since 1970. Good to the precision with which two clocks can be read together (< 1
    // us), as long as nobody sets the time.
    uint64_t unix_ns(uint64_t monotonic_ns) const { return monotonic_ns + unix_offset_ns_; }

    // Of events: "12.345" and "12.345678" seconds since the tool's start, "1700000000.123456" seconds since 1970,
    // "17:05:59" of the local day.
    std::string since_start_ms(uint64_t monotonic_ns) const;
    std::string since_start(uint64_t monotonic_ns) const;
    std::string since_epoch(uint64_t monotonic_ns) const;
    std::string time_of_day(uint64_t monotonic_ns) const;

    // Of what is shown now, at the end of an interval.
    static uint64_t now_unix_ns();
    static uint64_t now_monotonic_ns();
    static std::string now();  // "17:05:59"

  private:
    uint64_t start_ns_, unix_offset_ns_ = 0;
};

}  // namespace uscope::output
