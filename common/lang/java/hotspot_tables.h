// The arrays in which HotSpot describes its own structures (hotspot.cpp).
#pragma once

#include <cstdint>
#include <string>

#include "lang/memory.h"

namespace uscope::lang {

class HotspotTable {
  public:
    HotspotTable(const Memory &memory, const std::string &array, std::string prefix)
        : memory_(memory), prefix_(std::move(prefix))
    {
        at_ = memory.variable<uint64_t>(array).value_or(0);
        stride_ = part("ArrayStride");
        name_ = part("TypeNameOffset");
    }

    // The offset of a part in an entry, or the like, by its name: "SizeOffset".
    uint64_t part(const std::string &name) const
    {
        return memory_.variable<uint64_t>(prefix_ + name).value_or(0);
    }

    // visit(type name, address of the entry)
    template <class Visit>
    void each(Visit &&visit) const
    {
        if (!at_ || !stride_)
            return;
        for (unsigned i = 0; i < most_entries; i++) {
            uint64_t entry = at_ + i * stride_;
            auto type = text(entry + name_);
            if (!type)
                return;
            visit(*type, entry);
        }
    }

    // The string to which the pointer at `address` points.
    std::optional<std::string> text(uint64_t address) const
    {
        uint64_t pointer = memory_.read<uint64_t>(address).value_or(0);
        return pointer ? memory_.string(pointer) : std::nullopt;
    }

  private:
    static constexpr unsigned most_entries = 20000;

    const Memory &memory_;
    std::string prefix_;
    uint64_t at_ = 0, stride_ = 0, name_ = 0;
};

}  // namespace uscope::lang
