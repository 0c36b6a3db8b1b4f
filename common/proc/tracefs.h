// Reads the kernel's tracepoints from tracefs, which need not be mounted.
//
// If neither /sys/kernel/tracing nor /sys/kernel/debug/tracing is mounted, the tool makes a private
// mount (fsopen/fsmount: kernel >= 5.2, needs CAP_SYS_ADMIN). Such a mount is only a file
// descriptor: no other process sees it, and it vanishes with this process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace uscope::proc {

struct TracepointField {
    std::string type;  // in C: "const char *", "char[16]", "__data_loc char[]"
    std::string name;
    uint32_t offset = 0, size = 0;  // bytes
    bool is_signed = false;
    bool is_array = false;  // fixed-size array; the size of an element is size / count
    uint32_t count = 0;     // elements of the array
    // The field has 4 bytes that say where its content is: the low 16 bits are an offset in the
    // record, the high 16 bits the length.
    bool is_data_loc = false;
    bool is_rel_loc = false;  // like is_data_loc, but the offset counts from the end of this field
};

struct Tracepoint {
    std::string category, name;
    uint32_t id = 0;
    std::vector<TracepointField> fields;  // without those called common_*

    // Returns the offset of the field with this name and size. Errors: the tracepoint has no such
    // field on this kernel.
    Result<uint32_t> offset_of(std::string_view field, uint32_t bytes) const;
};

// Parses the content of a tracepoint's "format" file. Tracepoint::category stays empty, because the
// file does not contain it. Errors quote the malformed line.
Result<Tracepoint> parse_format(std::string_view text);

class Tracefs {
  public:
    static Result<Tracefs> open();  // errors say how to mount it or what is missing
    static Result<Tracefs> at(const std::string &folder);  // uses this directory (for tests)

    // Returns the names of all tracepoints as "category:event", sorted.
    Result<std::vector<std::string>> list() const;
    // Errors: no tracepoint has this name; the text suggests similar names.
    Result<Tracepoint> read(std::string_view category, std::string_view name) const;
    // Returns the list of kernel functions that can be traced, one on each line: "vfs_read",
    // "nft_do_chain [nf_tables]". Errors: the kernel has no such list.
    Result<std::string> traceable_functions() const;
    int directory() const { return directory_.get(); }

  private:
    Fd directory_;
};

}  // namespace uscope::proc
