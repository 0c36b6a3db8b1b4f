// Variables of a running process, by their names in the files that it maps.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>

#include <sys/types.h>

#include "base/result.h"

namespace uscope::proc {
struct MappedObject;
}

namespace uscope::lang {

class File;

class Memory {
  public:
    // Of `object` of the process, which is `file` and outlives it. Errors: the process does not run its code; no
    // permission.
    static Result<Memory> open(pid_t pid, const proc::MappedObject &object, const File &file);
    // Without variables, for who has addresses.
    static Result<Memory> open(pid_t pid);

    // Where the process has a variable of the file; nothing when there is none of that name.
    using Find = std::function<std::optional<uint64_t>(const std::string &variable)>;
    // Reads what there is at an address and says how much that was.
    using Read = std::function<size_t(uint64_t address, char *into, size_t bytes)>;
    Memory(Find find, Read read) : find_(std::move(find)), read_(std::move(read)) {}

    // At an address in the process. Nothing when it cannot be read.
    template <class T>
    std::optional<T> read(uint64_t address) const
    {
        T value;
        if (!read(address, reinterpret_cast<char *>(&value), sizeof value))
            return std::nullopt;
        return value;
    }
    // All of these bytes, or false.
    bool read(uint64_t address, char *into, size_t bytes) const;
    // Up to a NUL; cut behind 255 bytes.
    std::optional<std::string> string(uint64_t address) const;

    std::optional<uint64_t> address_of(const std::string &variable) const
    {
        return find_(variable);
    }
    template <class T>
    std::optional<T> variable(const std::string &name) const
    {
        auto address = address_of(name);
        return address ? read<T>(*address) : std::nullopt;
    }

    // While a recording is made, what was read of the process is added to it: of each page its address, a u64, and
    // what there is of it.
    void record() const;

  private:
    const std::string &page(uint64_t address) const;

    Find find_;
    Read read_;
    // What was read once is kept: a JVM's tables are thousands of small things, and a system call
    // for each took 10 ms.
    mutable std::unordered_map<uint64_t, std::string> pages_;
};

}  // namespace uscope::lang
