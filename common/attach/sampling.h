// Programs that run so and so often on each processor, whatever is executed there.
#pragma once

#include <optional>

#include "attach/attach.h"

namespace uscope::attach {

struct Sampling {
    uint64_t frequency = 99;            // times a second
    std::optional<uint64_t> period_ns;  // instead: after so much time of the processor's clock
    std::optional<unsigned> cpu;        // only this one
};

// A perf event of the processor's clock on each processor that is on line. The kernel takes less than
// what /proc/sys/kernel/perf_event_max_sample_rate says.
Result<Links> attach_sampling(int program, const Sampling &sampling);

// The processors that are on line.
Result<std::vector<unsigned>> online_cpus();

}  // namespace uscope::attach
