// Finds out what the running kernel can do by trying it, and wraps calls that the libbpf and
// headers of Debian 12 lack.
//
// It probes features instead of comparing versions, because distributions backport features and
// configurations omit some. Each probe loads a three-instruction program at most, once in a
// process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <linux/bpf.h>

#include "base/fd.h"
#include "base/result.h"
#include "expr/session_calls.h"

namespace uscope::attach {

// Values of enum bpf_attach_type in newer kernels (include/uapi/linux/bpf.h).
constexpr uint32_t trace_uprobe_multi = 48;    // Linux 6.6
constexpr uint32_t trace_uprobe_session = 57;  // Linux 6.13
constexpr uint32_t uprobe_multi_return = 1;    // BPF_F_UPROBE_MULTI_RETURN

// BPF_LINK_CREATE with its uprobe_multi part: offsets, semaphores and cookies in one file.
struct UprobeMultiLink {
    int program;
    uint32_t attach_type;  // the program's own
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
// Kernel >= 6.13: one program for a function's entry and its return, with 8 bytes that the kernel
// keeps from entry to return. Works with recursion and threads, and costs less than half of two
// programs that meet in a map. nullopt if the kernel lacks it.
const std::optional<expr::SessionCalls> &session_calls();
// The same for another type of session programs; tried again at each call.
std::optional<expr::SessionCalls> find_session_calls(uint32_t attach_type);
// Loads a program that only makes the call, if there is one, and exits. Invalid if the kernel
// refuses it.
Fd load_trivial(uint32_t attach_type, uint32_t flags = 0, std::optional<bpf_insn> call = {});
// Kernel >= 6.1 or so: uprobe programs that may fault pages in.
bool has_sleepable_uprobes();
// Kernel >= 6.1: entries of maps with BPF_F_NO_PREALLOC come from an allocator made for BPF
// programs. Sleepable uprobes came in the same release, so they are what is checked.
inline bool programs_may_allocate()
{
    return has_sleepable_uprobes();
}
// Kernel >= 6.19: uprobe programs may write registers, tried here with uprobe_multi. If a program
// changes the instruction pointer, the kernel does not execute the instruction.
bool may_programs_write_registers();
// Kernel >= 5.15: bpf_get_attach_cookie() and links of perf events.
bool has_attach_cookie();

// Is there a /sys/kernel/btf/vmlinux? libbpf needs it to find members of the kernel's structures,
// and programs need it to call kernel functions.
bool has_type_information();
// The error text if there is none: the kernel lacks it, or a container does not see it.
std::string missing_type_information();

// "" if this process may trace. Else an error text with what is missing (capabilities, or system
// calls that a container's seccomp filter refuses) and how to get it.
std::string missing_privilege();

// An error text if the kernel is locked down to confidentiality, by Secure Boot or its command
// line: programs then may not read kernel memory, and few kernel functions can be probed. Else "".
std::string lockdown();

// "6.18.44"
std::string kernel_release();

}  // namespace uscope::attach
