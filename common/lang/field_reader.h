// Reads the fields of structures in a process, and follows pointers from one to the next.
#pragma once

#include <initializer_list>
#include <utility>

#include "lang/memory.h"

namespace uscope::lang {

// Once something cannot be read or is not as expected, the reader has failed: it reads no more, and
// returns zeros and empty strings. So a function reads all that it needs, and checks once.
class FieldReader {
  public:
    explicit FieldReader(const Memory &memory) : memory_(memory) {}

    template <class T = uint64_t>
    T read(uint64_t address)
    {
        return address && !failed_ ? take(memory_.read<T>(address)) : fail<T>();
    }
    // Follows pointers from a structure at `address`. Each offset but the last is that of a pointer
    // to the next structure; the last one is that of the value. Fails at a null pointer.
    template <class T = uint64_t>
    T follow(uint64_t address, std::initializer_list<uint64_t> offsets)
    {
        const uint64_t *last = offsets.end() - 1;
        for (const uint64_t *offset = offsets.begin(); offset != last; offset++)
            address = address ? read(address + *offset) : 0;
        return address ? read<T>(address + *last) : fail<T>();
    }
    // Reads a number of 1 to 8 bytes.
    uint64_t number(uint64_t address, size_t bytes)
    {
        return failed_ ? 0 : take(memory_.number(address, bytes));
    }
    // Fails if there are more than `max` bytes.
    std::string bytes(uint64_t address, uint64_t count, uint64_t max)
    {
        return expect(count <= max) ? take(memory_.bytes(address, count)) : "";
    }
    std::string string(uint64_t address) { return failed_ ? "" : take(memory_.string(address)); }

    // Returns the value; fails if it is nullopt.
    template <class T>
    T take(std::optional<T> value)
    {
        return value ? std::move(*value) : fail<T>();
    }
    // Fails if `condition` is false. Returns false if the reader has failed, now or before.
    bool expect(bool condition)
    {
        failed_ |= !condition;
        return !failed_;
    }
    bool failed() const { return failed_; }
    // Returns nullopt if the reader has failed.
    template <class T>
    std::optional<T> result(T value) const
    {
        return failed_ ? std::nullopt : std::optional<T>(std::move(value));
    }
    const Memory &memory() const { return memory_; }

  private:
    template <class T>
    T fail()
    {
        failed_ = true;
        return T();
    }

    const Memory &memory_;
    bool failed_ = false;
};

}  // namespace uscope::lang
