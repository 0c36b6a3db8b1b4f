// Attaches programs to perf events, one for each probe. Kernels without the newer links need this.
#pragma once

#include <linux/perf_event.h>

#include "attach/attach.h"

namespace uscope::attach {

// A dynamic kind of perf event (PMU) for probes: its number for perf_event_attr.type, and the bit
// of `config` that makes it a return probe.
struct ProbePmu {
    uint32_t type = 0;
    uint64_t return_bit = 0;
};
// `name`: "uprobe", "kprobe". Errors: the kernel does not have it.
Result<ProbePmu> probe_pmu(const std::string &name);

// Opens the event for one process, or for all (pid 0). On errors, the descriptor is invalid and
// errno is set.
Fd open_event(perf_event_attr &attr, pid_t pid);

// Opens the event and makes it run the program. `name`: for errors.
Result<Links> attach_event(perf_event_attr &attr, pid_t pid, int program, uint64_t cookie,
                           std::string_view name);

}  // namespace uscope::attach
