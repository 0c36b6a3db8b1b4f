// Which functions of the kernel a name means.
//
// Two lists: /proc/kallsyms has every function with its address, available_filter_functions of
// tracefs those that can be traced, a line each:
//
//     vfs_read
//     nft_do_chain [nf_tables]
//
// The others are marked notrace, or are part of what tracing itself needs; inlined functions are in
// neither.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace uscope::resolve {

struct KernelFunction {
    std::string name, module;  // module: "" for the kernel itself
    uint64_t address = 0;
};

// Where to look; the defaults are this machine's.
struct KernelPlaces {
    std::string proc = "/proc";
    std::string devices = "/sys/bus/event_source/devices";
    std::string tracefs = "";  // a folder; "": where it is mounted, or a private mount
};

struct KernelFunctions {
    std::vector<KernelFunction> found;  // in the order of /proc/kallsyms
    size_t refused = 0;                 // that match, but cannot be traced
};

// The function of this name: of several (static functions in different files) all. "sys_read"
// means the entry of that system call, whatever the kernel calls it. Errors say what is near, or
// why there is none.
Result<KernelFunctions> find_kernel_function(const std::string &name,
                                             const KernelPlaces &places = {});

// Those whose name matches; at least one.
Result<KernelFunctions> find_kernel_functions(
    const std::function<bool(std::string_view name)> &matches, const std::string &pattern,
    const KernelPlaces &places = {});

}  // namespace uscope::resolve
