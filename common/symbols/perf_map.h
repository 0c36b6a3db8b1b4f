// Reads /tmp/perf-PID.map, where a process with JIT code (node, java, .NET, LuaJIT …) lists the
// names of that code; or jit-PID.dump, which also contains the code (PostgreSQL, QEMU). A process
// that writes a jitdump also maps it as executable memory, so that profilers find the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace uscope::symbols {

class PerfMap {
  public:
    struct Symbol {
        std::string_view name;  // valid until the next append() or refresh()
        uint64_t start;
    };

    // The symbol that contains `address`, or nullopt. If several start at the same address, the
    // last one written.
    std::optional<Symbol> find(uint64_t address) const;
    // Parses lines "START SIZE name" with hexadecimal numbers and ignores other lines. Only
    // complete lines are parsed: returns how many bytes were used.
    size_t append(std::string_view text);
    // Does the same for the records of a jitdump. `left`: how many bytes the file has from the
    // beginning of `records`, which may hold fewer.
    size_t append_dump(Bytes records, uint64_t left);
    // Reads what was appended to the file, or all of it if it was replaced by another file. Returns
    // whether there are new entries. Reads at most 64 MB, and only a regular file, because the
    // traced process controls what is at this path.
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
    std::vector<Entry> entries_;  // sorted by start
    std::string names_;           // each NUL-terminated
    uint64_t device_ = 0, inode_ = 0;
    uint64_t read_bytes_ = 0;
};

}  // namespace uscope::symbols
