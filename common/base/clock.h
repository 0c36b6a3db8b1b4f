// Reads the kernel's clock of events: the one that bpf_ktime_get_ns() reads.
//
// In a time namespace, CLOCK_MONOTONIC has the namespace's offset added (time_namespaces(7)). The
// times of events do not have it, so this code subtracts it.
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
