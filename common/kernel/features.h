// Finds out by experiment what the running kernel can do, and wraps system calls that Debian 12's
// libbpf and kernel headers lack.
//
// The functions try features instead of comparing versions, because distributions backport features
// and some kernel configurations omit them. A trial loads a program of at most three instructions,
// and runs only once in a process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <linux/bpf.h>

#include "base/fd.h"
#include "base/result.h"
#include "expr/session_calls.h"

namespace uscope::kernel {

// Values of enum bpf_attach_type in newer kernels (include/uapi/linux/bpf.h).
constexpr uint32_t trace_uprobe_multi = 48;    // Linux 6.6
constexpr uint32_t trace_uprobe_session = 57;  // Linux 6.13
constexpr uint32_t uprobe_multi_return = 1;    // BPF_F_UPROBE_MULTI_RETURN

// The arguments of BPF_LINK_CREATE for a uprobe_multi link, which attaches one program to many
// offsets in one file.
struct UprobeMultiLink {
    int program;
    uint32_t attach_type;  // that with which the program was loaded
    const char *path;
    const uint64_t *offsets;
    const uint64_t *ref_ctr_offsets;  // may be null
    const uint64_t *cookies;          // may be null
    uint32_t count;
    bool is_return;
    uint32_t pid;  // 0: every process
};
// Returns the link's descriptor; the error's code is errno.
Result<Fd> create_uprobe_multi_link(const UprobeMultiLink &link, std::string_view what);

// Kernel >= 6.6: many uprobes in one link.
bool has_uprobe_multi();
// Kernel >= 6.13: "sessions", where one program runs at a function's entry and at its return, and
// the kernel keeps 8 bytes for it from the entry to the return. This works with recursion and
// threads, and costs less than half of two programs that exchange data in a map. nullopt if the
// kernel lacks it.
const std::optional<expr::SessionCalls> &session_calls();
// Like session_calls(), for session programs of another attach type. Tries this again at each call.
std::optional<expr::SessionCalls> find_session_calls(uint32_t attach_type);
// Loads a program that only executes the instruction `call`, if given, and exits. Returns the
// program's descriptor, which is invalid if the kernel refuses the program.
Fd load_trivial(uint32_t attach_type, uint32_t flags = 0, std::optional<bpf_insn> call = {});
// Kernel >= 6.1 or so: uprobe programs that may sleep, so that they can read memory that is not
// resident.
bool has_sleepable_uprobes();
// Kernel >= 6.1: in maps with BPF_F_NO_PREALLOC, programs create entries with an allocator that was
// made for them. This checks for sleepable uprobes, which came in the same release.
inline bool programs_may_allocate()
{
    return has_sleepable_uprobes();
}
// Kernel >= 6.19: uprobe programs may write registers. If a program changes the instruction
// pointer, the kernel does not execute the probed instruction. Tried with a program for
// uprobe_multi links.
bool may_programs_write_registers();
// Kernel >= 5.15: bpf_get_attach_cookie(), and links that attach programs to perf events.
bool has_attach_cookie();

// Is there a /sys/kernel/btf/vmlinux? libbpf needs it to find members of the kernel's structures,
// and programs need it to call kernel functions.
bool has_type_information();
// Returns an error text for when has_type_information() is false: the kernel lacks it, or it is not
// visible in this container.
std::string missing_type_information();

// Returns "" if this process may trace. Otherwise, returns an error text that says what it lacks
// (capabilities, or system calls that a container's seccomp filter refuses) and how to get that.
std::string missing_privilege();

// Returns an error text if the kernel is in the lockdown mode "confidentiality", which Secure Boot
// or its command line can select: BPF programs then may not read kernel memory, and few kernel
// functions can be probed. Otherwise returns "".
std::string lockdown();

// Returns the kernel's release, such as "6.18.44".
std::string kernel_release();

}  // namespace uscope::kernel
