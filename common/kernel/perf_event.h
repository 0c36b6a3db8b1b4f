// Attaches programs to perf events, one event for each probe. This is for kernels without links for
// many probes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <linux/perf_event.h>
#include <sys/types.h>

#include "base/fd.h"
#include "base/result.h"

namespace uscope::kernel {

// The kernel's type of perf events for uprobes or for kprobes (a "PMU"): its number, for
// perf_event_attr.type, and the bit of perf_event_attr.config that selects a return probe.
struct ProbePmu {
    uint32_t type = 0;
    uint64_t return_bit = 0;
};
// `name`: "uprobe" or "kprobe". Errors: the kernel does not have this PMU.
Result<ProbePmu> probe_pmu(const std::string &name);

// Opens the event for one process, or for all processes (pid 0). On errors, returns an invalid
// descriptor and sets errno.
Fd open_event(perf_event_attr &attr, pid_t pid);

// Opens the event and makes it run the program, while the returned descriptors are open. `name`:
// for errors.
Result<std::vector<Fd>> attach_event(perf_event_attr &attr, pid_t pid, int program, uint64_t cookie,
                                     std::string_view name);

}  // namespace uscope::kernel
