// The kernel's tracepoints, by tracefs - mounted or not.
//
// If neither /sys/kernel/tracing nor /sys/kernel/debug/tracing is mounted, a private mount is made
// (fsopen/fsmount: kernel >= 5.2, needs CAP_SYS_ADMIN): it is a file descriptor, visible to nobody
// and gone with the process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace uscope::proc {

struct TracepointField {
    std::string type;  // C text, "const char *", "char[16]", "__data_loc char[]"
    std::string name;
    uint32_t offset = 0, size = 0;  // bytes
    bool is_signed = false;
    bool is_array = false;     // fixed array; its element size is size / count
    uint32_t count = 0;        // elements of the array
    bool is_data_loc = false;  // 4 bytes: low 16 bits offset in the record, high 16 bits length
    bool is_rel_loc = false;   // the same, with the offset counted from this field's own end
};

struct Tracepoint {
    std::string category, name;
    uint32_t id = 0;
    std::vector<TracepointField> fields;  // without common_*

    // Where a field of so many bytes is. Errors: this kernel's tracepoint has none such.
    Result<uint32_t> place_of(std::string_view field, uint32_t bytes) const;
};

// A tracepoint's "format" file, without its category. Errors: which line is not understood.
Result<Tracepoint> parse_format(std::string_view text);

class Tracefs {
  public:
    static Result<Tracefs> open();  // errors say how to mount it or what is missing
    static Result<Tracefs> at(const std::string &folder);  // a given folder (tests)

    // "category:event" of all, sorted, from one file.
    Result<std::vector<std::string>> list() const;
    // Errors: none of that name, with near names.
    Result<Tracepoint> read(std::string_view category, std::string_view name) const;
    // A line each: "vfs_read", "nft_do_chain [nf_tables]". Errors: the kernel has no such list.
    Result<std::string> traceable_functions() const;
    int directory() const { return directory_.get(); }

  private:
    Fd directory_;
};

}  // namespace uscope::proc
