// Runs programs at a fixed rate on each CPU, whatever is executing there.
#pragma once

#include <optional>

#include "attach/attach.h"

namespace uscope::attach {

struct Sampling {
    uint64_t frequency = 99;            // samples per second
    std::optional<uint64_t> period_ns;  // instead: time between samples, by the CPU's clock
    std::optional<unsigned> cpu;        // only on this one
};

// A perf event of the CPU's clock on each online CPU. The kernel limits the rate to
// /proc/sys/kernel/perf_event_max_sample_rate.
Result<Links> attach_sampling(int program, const Sampling &sampling);

// The CPUs that are online.
Result<std::vector<unsigned>> online_cpus();

}  // namespace uscope::attach
