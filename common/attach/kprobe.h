// Attaches programs to functions of the kernel.
//
// Kernel >= 5.18, with CONFIG_FPROBE: one kprobe_multi link for all functions, which costs less in
// every way. Older, and inside of functions: a perf event a place. The return probes of the latter
// have room for only so many calls under way at once (twice as many as there are CPUs, at least
// 10), and the kernel does not say when a call found none.
#pragma once

#include "attach/attach.h"
#include "expr/session_calls.h"

namespace uscope::attach {

// enum bpf_attach_type of newer kernels (include/uapi/linux/bpf.h).
constexpr uint32_t trace_kprobe_multi = 42;    // Linux 5.18
constexpr uint32_t trace_kprobe_session = 56;  // Linux 6.10

struct KprobeSite {
    uint64_t address = 0;
    uint64_t cookie = 0;
};

struct KprobeRequest {
    int program = -1;
    uint32_t attach_type = 0;  // the program's own: one of the above, or 0 for perf events
    std::string name;          // for errors
    bool is_return = false;
    std::vector<KprobeSite> sites;
};

bool has_kprobe_multi();
// The counterpart of session_calls() for functions of the kernel.
const std::optional<expr::SessionCalls> &kprobe_session_calls();

// Attaches all sites or none.
Result<Links> attach_kprobes(const KprobeRequest &request);

// How often probes of attach_kprobes() were hit and their programs did not run: the processor was handling another
// probe (links count that since Linux 6.7) or running another program (programs count that since 5.12). A hit
// within a program of our own, of a function that it calls, is one of them. Links that are closed count no more.
uint64_t missed_kernel_hits();

}  // namespace uscope::attach
