// Variables of a running process, by their names in the files that it maps.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/fd.h"
#include "elf/image.h"
#include "proc/maps.h"

namespace uscope::lang {

class Memory {
  public:
    // Of `object` of the process. Errors: the file cannot be read; no permission.
    static Result<Memory> open(pid_t pid, const proc::MappedObject &object);

    // At an address in the process. Nothing when it cannot be read.
    template <class T>
    std::optional<T> read(uint64_t address) const
    {
        T value;
        if (!read_bytes(address, &value, sizeof value))
            return std::nullopt;
        return value;
    }
    // Up to a NUL; cut behind 255 bytes.
    std::optional<std::string> string(uint64_t address) const;

    // Of a variable of the file; nothing when there is none of that name.
    std::optional<uint64_t> address_of(std::string_view variable) const;
    template <class T>
    std::optional<T> variable(std::string_view name) const
    {
        auto address = address_of(name);
        return address ? read<T>(*address) : std::nullopt;
    }

  private:
    Memory(Fd memory, elf::Image image, uint64_t bias)
        : memory_(std::move(memory)), image_(std::move(image)), bias_(bias)
    {
    }
    bool read_bytes(uint64_t address, void *into, size_t bytes) const;

    Fd memory_;
    elf::Image image_;
    uint64_t bias_;  // what is added to the file's addresses
};

}  // namespace uscope::lang
