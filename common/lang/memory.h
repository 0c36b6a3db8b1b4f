// Reads the memory of a running process: by address, or by the names of variables in a mapped file.
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
    // `object`: the mapped file with the variables; `file`: the same file, which must outlive the
    // result. Errors: the process does not run its code; no permission.
    static Result<Memory> open(pid_t pid, const proc::MappedObject &object, const File &file);
    // Reads by address only.
    static Result<Memory> open(pid_t pid);

    // Returns the address of a variable in the process, or nullopt if the file does not have it.
    using Find = std::function<std::optional<uint64_t>(const std::string &variable)>;
    // Reads up to `bytes` bytes and returns how many could be read.
    using Read = std::function<size_t(uint64_t address, char *into, size_t bytes)>;
    Memory(Find find, Read read) : find_(std::move(find)), read_(std::move(read)) {}

    // Returns the value at an address in the process, or nullopt if it cannot be read.
    template <class T>
    std::optional<T> read(uint64_t address) const
    {
        T value;
        if (!read(address, reinterpret_cast<char *>(&value), sizeof value))
            return std::nullopt;
        return value;
    }
    // Returns false if not all of the bytes can be read.
    bool read(uint64_t address, char *into, size_t bytes) const;
    // Read a number of 1 to 8 bytes, and `count` bytes; nullopt if not all of the bytes can be
    // read.
    std::optional<uint64_t> number(uint64_t address, size_t bytes) const;
    std::optional<std::string> bytes(uint64_t address, size_t count) const;
    // The string up to a NUL, cut after 255 bytes; nullopt if it cannot be read or `address` is 0.
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

    // While a recording is made, adds the pages read so far to it: for each its address, a u64, and
    // the bytes that could be read.
    void record() const;

  private:
    const std::string &page(uint64_t address) const;

    Find find_;
    Read read_;
    // Pages that have been read: a JVM's tables have thousands of small entries, and a system call
    // for each took 10 ms in total.
    mutable std::unordered_map<uint64_t, std::string> pages_;
};

}  // namespace uscope::lang
