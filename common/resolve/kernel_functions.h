// Which functions of the kernel a name means.
//
// Two lists: /proc/kallsyms has every function with its address, available_filter_functions of
// tracefs those that can be traced, a line each:
//
//     vfs_read
//     nft_do_chain [nf_tables]
//
// The others are marked notrace, or are part of what tracing itself needs; inlined functions are in
// neither. Both lists are made anew by the kernel for each reader, which takes some 50 ms each.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace uscope::resolve {

struct KernelFunction {
    std::string name, module;  // module: "" for the kernel itself
    uint64_t address = 0;
};

struct KernelMatches {
    std::vector<KernelFunction> functions;  // in the order of /proc/kallsyms
    size_t refused = 0;                     // that match, but cannot be traced
};

class KernelFunctions {
  public:
    // Where to look; the defaults are this machine's.
    struct Places {
        std::string proc = "/proc";
        std::string devices = "/sys/bus/event_source/devices";
        std::string tracefs = "";  // a folder; "": where it is mounted, or a private mount
    };
    // Errors: the kernel has no kprobes, or does not show its addresses.
    static Result<KernelFunctions> read(const Places &places);

    // The function of this name: of several (static functions in different files) all. "sys_read"
    // means the entry of that system call, whatever the kernel calls it. Errors say what is near, or
    // why there is none.
    Result<KernelMatches> find(const std::string &name) const;
    // The functions whose name matches; at least one.
    using Matches = std::function<bool(std::string_view name)>;
    Result<KernelMatches> find(const Matches &matches, const std::string &pattern) const;

  private:
    struct Entry {
        uint64_t address;
        uint32_t name, module;  // in names_
        bool is_traceable;
    };
    KernelMatches look_up(const Matches &matches) const;
    Error explain_missing(const std::string &name) const;
    std::string_view text(uint32_t offset) const { return names_.c_str() + offset; }

    std::vector<Entry> entries_;
    std::string names_ = std::string(1, '\0');  // NUL-terminated, one after the other
};

}  // namespace uscope::resolve
