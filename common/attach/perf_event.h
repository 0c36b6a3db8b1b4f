// Programs on perf events: how kernels without the newer links attach probes, one by one.
#pragma once

#include <linux/perf_event.h>

#include "attach/attach.h"

namespace uscope::attach {

// A kind of event that the kernel makes from a place: its number in perf_event_attr.type, and the
// bit of `config` that asks for a return probe.
struct ProbePmu {
    uint32_t type = 0;
    uint64_t return_bit = 0;
};
// `name`: "uprobe", "kprobe". Errors: the kernel has none of that name.
Result<ProbePmu> probe_pmu(const std::string &name);

// Opens the event for one process, or for all (pid 0). On errors the descriptor is -1, with errno.
Fd open_event(perf_event_attr &attr, pid_t pid);

// Opens the event and has it run the program. `name`: for errors.
Result<Links> attach_event(perf_event_attr &attr, pid_t pid, int program, uint64_t cookie,
                           std::string_view name);

}  // namespace uscope::attach
