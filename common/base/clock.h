// The kernel's clock of events, as bpf_ktime_get_ns() reads it.
#pragma once

#include <cstdint>
#include <ctime>

namespace uscope {

// Nanoseconds since the machine started, without the time that it slept.
inline uint64_t monotonic_ns()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return uint64_t(now.tv_sec) * 1'000'000'000 + uint64_t(now.tv_nsec);
}

}  // namespace uscope
