// Reads the kernel's tracepoints from tracefs, mounted or not.
//
// If neither /sys/kernel/tracing nor /sys/kernel/debug/tracing is mounted, it makes a private mount
// (fsopen/fsmount: kernel >= 5.2, needs CAP_SYS_ADMIN): a file descriptor that no other process
// sees, and that vanishes with this process.
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
    bool is_array = false;     // fixed-size array; the size of an element is size / count
    uint32_t count = 0;        // elements of the array
    bool is_data_loc = false;  // 4 bytes: low 16 bits offset in the record, high 16 bits length
    bool is_rel_loc = false;   // the same, but the offset counts from the end of this field
};

struct Tracepoint {
    std::string category, name;
    uint32_t id = 0;
    std::vector<TracepointField> fields;  // without common_*

    // The offset of a field with this size. Errors: the kernel's tracepoint has no such field.
    Result<uint32_t> offset_of(std::string_view field, uint32_t bytes) const;
};

// Parses a tracepoint's "format" file, which does not contain the category. Errors name the
// malformed line.
Result<Tracepoint> parse_format(std::string_view text);

class Tracefs {
  public:
    static Result<Tracefs> open();  // errors say how to mount it or what is missing
    static Result<Tracefs> at(const std::string &folder);  // a given directory (for tests)

    // All tracepoints as "category:event", sorted.
    Result<std::vector<std::string>> list() const;
    // Errors: no tracepoint has this name; the text suggests similar names.
    Result<Tracepoint> read(std::string_view category, std::string_view name) const;
    // One function per line: "vfs_read", "nft_do_chain [nf_tables]". Errors: the kernel has no such
    // list.
    Result<std::string> traceable_functions() const;
    int directory() const { return directory_.get(); }

  private:
    Fd directory_;
};

}  // namespace uscope::proc
