// Reads the kernel's symbols from /proc/kallsyms, one per line, sorted by address except for
// modules:
//
//     ffffffff810a1b50 T do_sys_open
//     ffffffffc0201000 t nf_hook	[nf_tables]
//
// T, t, W and w are code. With kptr_restrict, all addresses are 0 without CAP_SYSLOG.
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

// Returns nullopt if the line has another form.
std::optional<KernelSymbol> parse_kernel_symbol(std::string_view line);

// Calls `visit` for every symbol in the file's order. Not a list, because there are 120,000 and
// more.
void each_kernel_symbol(const std::string &proc,
                        const std::function<void(const KernelSymbol &)> &visit);

}  // namespace uscope::proc
