// Finds the fields of a HotSpot JVM's structures by the names of types and fields.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "lang/memory.h"

namespace uscope::lang {

// `at`: the offset in the structure, or the address of a static field.
struct HotspotField {
    uint64_t at = 0;
    uint8_t bytes = 0;  // 0: the JVM has no such field

    // Returns the number in the field of the structure at `base` (0 for a static field), or nullopt
    // if it cannot be read.
    std::optional<uint64_t> read(const Memory &memory, uint64_t base) const;
};

// What HotspotField::read() returns; 0 if it cannot be read.
inline uint64_t value(const Memory &memory, uint64_t base, const HotspotField &field)
{
    return field.read(memory, base).value_or(0);
}

class HotspotFields {
  public:
    // Reads the fields and sizes of these types. Empty if the JVM has no tables, or none yet.
    HotspotFields(const Memory &memory, const std::set<std::string> &types);

    // Returns the first of these fields, such as "CodeBlob._name", that exists.
    HotspotField any(std::initializer_list<std::string> names) const;
    // The same, but if none exists, is_lacking() becomes true.
    HotspotField need(std::initializer_list<std::string> names);
    // Returns the size of the first of these types that exists, in bytes. If none does,
    // is_lacking() becomes true.
    uint64_t size(std::initializer_list<std::string> types);
    bool is_lacking() const { return is_lacking_; }

  private:
    std::map<std::string, HotspotField> fields_;
    std::map<std::string, uint64_t> sizes_;
    bool is_lacking_ = false;
};

}  // namespace uscope::lang
