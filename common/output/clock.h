// Times of events, taken by the kernel on CLOCK_MONOTONIC, for people.
#pragma once

#include <cstdint>

#include "base/format.h"

namespace uscope::output {

class Clock {
  public:
    Clock();  // the tool's start is now

    // Nanoseconds since 1970. Good to the precision with which two clocks can be read together (< 1
    // us), as long as nobody sets the time.
    uint64_t unix_ns(uint64_t monotonic_ns) const { return monotonic_ns + unix_offset_ns_; }

    void append_since_start(fmt::memory_buffer &out, uint64_t monotonic_ns) const;  // "12.345678"
    void append_unix(fmt::memory_buffer &out, uint64_t monotonic_ns) const;  // "1700000000.123456"
    void append_time_of_day(fmt::memory_buffer &out,
                            uint64_t monotonic_ns) const;  // "17:05:59", local

  private:
    uint64_t start_ns_, unix_offset_ns_;
};

}  // namespace uscope::output
