// Reads the clock from which BPF programs take the times of events (bpf_ktime_get_ns()).
//
// In a time namespace (time_namespaces(7)), CLOCK_MONOTONIC includes the namespace's offset, but
// the times of events do not. So the functions here subtract the offset.
#pragma once

#include <cstdint>
#include <string>

namespace uscope {

// Returns the nanoseconds since the machine booted, not counting the time it was suspended.
uint64_t monotonic_ns();

// Returns the nanoseconds that a process's time namespace adds to CLOCK_MONOTONIC; 0 if unknown.
// `process` is the process's folder in /proc, such as "/proc/self".
int64_t monotonic_offset_ns(const std::string &process);

}  // namespace uscope
