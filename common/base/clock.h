// Reads the clock that gives events their times: the one that bpf_ktime_get_ns() reads.
//
// A time namespace adds its offset to CLOCK_MONOTONIC (time_namespaces(7)), but not to the times of
// events, so this code subtracts the offset.
#pragma once

#include <cstdint>
#include <string>

namespace uscope {

// Nanoseconds since the machine booted, without the time in which it was suspended.
uint64_t monotonic_ns();

// The offset that a process's time namespace adds to CLOCK_MONOTONIC, in nanoseconds; 0 if unknown.
// `process`: the process's folder in /proc.
int64_t monotonic_offset_ns(const std::string &process);

}  // namespace uscope
