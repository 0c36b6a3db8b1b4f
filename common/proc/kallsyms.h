// The kernel's own symbols: /proc/kallsyms, a line each, sorted by address but for modules:
//
//     ffffffff810a1b50 T do_sys_open
//     ffffffffc0201000 t nf_hook	[nf_tables]
//
// T, t, W and w are code. With kptr_restrict all addresses are 0 for who lacks CAP_SYSLOG.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace uscope::proc {

struct KernelSymbol {
    uint64_t address = 0;
    std::string_view name, module;  // module: "" for the kernel itself, else without brackets
    bool is_code = false;
};

// Nothing when the line is none of these.
std::optional<KernelSymbol> parse_kernel_symbol(std::string_view line);

// All of them, in the file's order: there are 120,000 and more, so that they are not kept here.
void each_kernel_symbol(const std::string &proc,
                        const std::function<void(const KernelSymbol &)> &visit);

}  // namespace uscope::proc
