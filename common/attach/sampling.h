// Runs programs at a fixed rate on each CPU, whatever is executing there.
#pragma once

#include <optional>

#include "attach/attach.h"

namespace uscope::attach {

struct Sampling {
    uint64_t frequency = 99;            // samples per second
    std::optional<uint64_t> period_ns;  // time between samples; replaces `frequency`
    std::optional<unsigned> cpu;        // sample only this CPU
};

// Attaches the program to a perf event of the CPU clock on each online CPU. The kernel limits the
// rate to /proc/sys/kernel/perf_event_max_sample_rate.
Result<Links> attach_sampling(int program, const Sampling &sampling);

// Returns the numbers of the CPUs that are online.
Result<std::vector<unsigned>> online_cpus();

}  // namespace uscope::attach
