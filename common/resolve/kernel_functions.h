// Finds the functions of the kernel that a name means.
//
// There are two lists: /proc/kallsyms has every function with its address, and
// available_filter_functions of tracefs has those that can be traced, a line each:
//
//     vfs_read
//     nft_do_chain [nf_tables]
//
// A function that is only in the first list is marked notrace, or tracing itself needs it. Inlined
// functions are in neither list. The kernel generates both lists anew for each reader, which takes
// about 50 ms each.
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
    size_t refused = 0;                     // matching functions that cannot be traced
};

class KernelFunctions {
  public:
    // The folders to read; the defaults are this machine's.
    struct Folders {
        std::string proc = "/proc";
        std::string devices = "/sys/bus/event_source/devices";
        std::string tracefs = "";  // a folder; "": the mounted tracefs, or a private mount
    };
    // Reads both lists. Errors: the kernel has no kprobes, or hides its addresses.
    static Result<KernelFunctions> read(const Folders &folders);

    // Returns the function of this name, or all if there are several (static functions in different
    // files). "sys_read" means the entry of that system call, whatever the kernel calls it. Errors
    // name similar functions, or say why the function cannot be traced.
    Result<KernelMatches> find(const std::string &name) const;
    // Returns the functions whose names match; at least one.
    using Matches = std::function<bool(std::string_view name)>;
    Result<KernelMatches> find(const Matches &matches, const std::string &pattern) const;

  private:
    struct Entry {
        uint64_t address;
        uint32_t name, module;  // offsets into names_
        bool is_traceable;
    };
    KernelMatches look_up(const Matches &matches) const;
    Error explain_missing(const std::string &name) const;
    std::string_view text(uint32_t offset) const { return names_.c_str() + offset; }

    std::vector<Entry> entries_;
    std::string names_ = std::string(1, '\0');  // NUL-terminated, one after the other
};

}  // namespace uscope::resolve
