// Attaches programs to kernel functions.
//
// Kernel >= 5.18 with CONFIG_FPROBE: one kprobe_multi link for all functions, which costs less in
// every way. Older kernels, and sites inside functions: a perf event for each site. A return probe
// that is a perf event can track only a limited number of simultaneous calls (twice the number of
// CPUs, at least 10), and the kernel does not report the calls that exceed this limit.
#pragma once

#include "attach/attach.h"
#include "expr/session_calls.h"

namespace uscope::attach {

// Values of enum bpf_attach_type in newer kernels (include/uapi/linux/bpf.h).
constexpr uint32_t trace_kprobe_multi = 42;    // Linux 5.18
constexpr uint32_t trace_kprobe_session = 56;  // Linux 6.10

struct KprobeSite {
    uint64_t address = 0;
    uint64_t cookie = 0;
};

struct KprobeRequest {
    int program = -1;
    uint32_t attach_type = 0;  // as the program was loaded: one of the above, or 0 for perf events
    std::string name;          // for errors
    bool is_return = false;
    std::vector<KprobeSite> sites;
};

bool has_kprobe_multi();
// The counterpart of session_calls() for kernel functions.
const std::optional<expr::SessionCalls> &kprobe_session_calls();

// Attaches all sites or none.
Result<Links> attach_kprobes(const KprobeRequest &request);

// Returns how often probes of attach_kprobes() were hit without running their program, because the
// CPU was handling another probe (since Linux 6.7, links count this) or running another program
// (since 5.12, programs count this). The number includes hits in kernel functions that our own
// programs call, but not hits of links that are closed by now.
uint64_t missed_kernel_hits();

}  // namespace uscope::attach
