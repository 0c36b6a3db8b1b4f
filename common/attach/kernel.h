// What the running kernel can do, found by asking it; and the calls that Debian 12's libbpf and
// headers do not know yet.
//
// Feature probes rather than versions: distributions backport, and configurations leave things out.
// Each probe loads a two-instruction program at most, once a process.
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

// enum bpf_attach_type of newer kernels (include/uapi/linux/bpf.h).
constexpr uint32_t trace_uprobe_multi = 48;    // Linux 6.6
constexpr uint32_t trace_uprobe_session = 57;  // Linux 6.13
constexpr uint32_t uprobe_multi_return = 1;    // BPF_F_UPROBE_MULTI_RETURN

// BPF_LINK_CREATE with the uprobe_multi part: offsets, reference counters and cookies of the same
// file.
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
// The link's descriptor; errors are errno's.
Result<Fd> create_uprobe_multi_link(const UprobeMultiLink &link, std::string_view what);

// Kernel >= 6.6: many uprobes in one link.
bool has_uprobe_multi();
// Kernel >= 6.13: one program for a function's entry and its return, with 8 bytes that it keeps from
// the one to the other: right for recursion and for threads, and less than half the price of two
// programs that meet in a map. Nothing when the kernel has none.
const std::optional<expr::SessionCalls> &session_calls();
// The same for another kind of session programs; asked anew each time.
std::optional<expr::SessionCalls> find_session_calls(uint32_t attach_type);
// A program that does nothing but one call, if any: does the kernel take it?
Fd load_trivial(uint32_t attach_type, uint32_t flags = 0, std::optional<bpf_insn> call = {});
// Kernel >= 6.1 or so: programs on uprobes that may fault pages in.
bool has_sleepable_uprobes();
// Kernel >= 6.1: entries of maps without BPF_F_NO_PREALLOC come from an allocator made for programs
// (which sleepable uprobes came with).
inline bool programs_may_allocate()
{
    return has_sleepable_uprobes();
}
// Kernel >= 6.19: programs on uprobes may write the registers, which uprobe_multi links are asked for
// here; when one changes the instruction pointer, the kernel does not execute the instruction.
bool may_programs_write_registers();
// Kernel >= 5.15: bpf_get_attach_cookie() and links of perf events.
bool has_attach_cookie();

// Has it /sys/kernel/btf/vmlinux? By it libbpf finds the members of the kernel's structures, and
// programs its functions.
bool has_type_information();
// What to say where it has not: the kernel has none, or a container does not see it.
std::string missing_type_information();

// "" when this process may trace; else what it lacks - capabilities, or calls that the seccomp filter
// of a container refuses - and how to get it, for an error's text.
std::string missing_privilege();

// "" but where the kernel is locked down to confidentiality, by Secure Boot or its command line: no program
// may read its memory then, and few probes may be on its functions. Else the words for an error.
std::string lockdown();

// "6.18.44"
std::string kernel_release();

}  // namespace uscope::attach
