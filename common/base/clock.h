// The kernel's clock of events, as bpf_ktime_get_ns() reads it.
//
// A process in a time namespace reads CLOCK_MONOTONIC with the namespace's offset added (time_namespaces(7)). The kernel
// takes the times of events without it, so it is subtracted here.
#pragma once

#include <cstdint>
#include <string>

namespace uscope {

// Nanoseconds since the machine started, without the time that it slept.
uint64_t monotonic_ns();

// What the time namespace of a process adds to CLOCK_MONOTONIC, in nanoseconds. `process` is its folder below /proc.
int64_t monotonic_offset_ns(const std::string &process);

}  // namespace uscope
