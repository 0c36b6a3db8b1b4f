// /tmp/perf-PID.map: where a process that makes code at run time (node, java, .NET, LuaJIT …) says
// what is where. Or jit-PID.dump, which has the same with the code itself (PostgreSQL, QEMU): a process that writes
// one maps it as code, so that it is found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace uscope::stack {

class PerfMap {
  public:
    struct Symbol {
        std::string_view name;  // until the next append() or refresh()
        uint64_t start;
    };

    // The symbol that `address` is inside; of several at one place the last one written.
    std::optional<Symbol> find(uint64_t address) const;
    // Takes lines "START SIZE name", numbers in hexadecimal; leaves out others. Only whole lines:
    // the bytes used are returned.
    size_t append(std::string_view text);
    // The same with the records of a jitdump, of whose file so many bytes are there from `records` on.
    size_t append_dump(Bytes records, uint64_t left);
    // Reads what the file has gained, or all of it when it is another one. Is there anything new?
    // At most 64 MB of a file are read. Only a regular file is: the process decides what is there.
    bool refresh(const std::string &path);

  private:
    struct Entry {
        uint64_t start;
        uint32_t size, name;  // name: offset in names_
    };

    void add(uint64_t start, uint64_t size, std::string_view name);
    void merge_from(size_t first);
    void move(uint64_t from, uint64_t to, uint64_t size, size_t first_new);

    bool is_dump_ = false;
    std::vector<Entry> entries_;  // by start
    std::string names_;           // each with a terminator
    uint64_t device_ = 0, inode_ = 0;
    uint64_t read_bytes_ = 0;
};

}  // namespace uscope::stack
