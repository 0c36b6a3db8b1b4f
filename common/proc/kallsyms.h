// Reads the kernel's symbols from /proc/kallsyms. Each line is one symbol; lines are sorted by
// address, except those of modules:
//
//     ffffffff810a1b50 T do_sys_open
//     ffffffffc0201000 t nf_hook	[nf_tables]
//
// The types T, t, W and w mean code. If kptr_restrict is set, processes without CAP_SYSLOG read 0
// for every address.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace uscope::proc {

struct KernelSymbol {
    uint64_t address = 0;
    std::string_view name, module;  // `module` has no brackets; "" for the kernel itself
    bool is_code = false;
};

// Returns nullopt if the line has another form.
std::optional<KernelSymbol> parse_kernel_symbol(std::string_view line);

// Calls `visit` for every symbol, in the order of the file. It does not return a list, because
// there are more than 120,000 symbols.
void each_kernel_symbol(const std::string &proc,
                        const std::function<void(const KernelSymbol &)> &visit);

}  // namespace uscope::proc
