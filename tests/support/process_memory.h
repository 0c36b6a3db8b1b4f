#pragma once

#include <cstring>
#include <optional>
#include <string>

#include "lang/memory.h"

namespace uscope::lang {

// The memory of a process, starting at address 0, which a test writes. Gaps between written values
// read as 0; nothing can be read after the last one.
class ProcessMemory {
  public:
    template <class T>
    void put(uint64_t at, T value)
    {
        if (bytes_.size() < at + sizeof value)
            bytes_.resize(at + sizeof value);
        memcpy(&bytes_[at], &value, sizeof value);
    }
    // Writes a text and a zero byte.
    void put_text(uint64_t at, const std::string &text)
    {
        for (size_t i = 0; i <= text.size(); i++)
            put(at + i, text[i]);
    }
    // Returns a Memory that reads from this object, which must outlive it.
    Memory memory() const
    {
        return Memory([](const std::string &) { return std::nullopt; },
                      [this](uint64_t from, char *into, size_t size) {
                          return from < bytes_.size() ? bytes_.copy(into, size, from) : 0;
                      });
    }

  private:
    std::string bytes_;
};

}  // namespace uscope::lang
