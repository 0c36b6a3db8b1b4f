// The records of BTF: common/btf/functions.h explains the format.
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"

namespace uscope::btf {

struct Header {
    uint16_t magic;
    uint8_t version, flags;
    uint32_t header_bytes, types_offset, types_bytes, strings_offset, strings_bytes;
};

// enum btf_kind (include/uapi/linux/btf.h).
enum class Kind : uint8_t {
    Void = 0,
    Int = 1,
    Pointer = 2,
    Array = 3,
    Struct = 4,
    Union = 5,
    Enum = 6,
    Forward = 7,
    Typedef = 8,
    Volatile = 9,
    Const = 10,
    Restrict = 11,
    Function = 12,
    Prototype = 13,
    Variable = 14,
    Section = 15,
    Float = 16,
    DeclarationTag = 17,
    TypeTag = 18,
    Enum64 = 19,
};

struct Record {
    uint32_t name, info, type;  // `type`: or the size, by the kind

    Kind kind() const { return Kind(info >> 24 & 31); }
    bool flag() const { return info >> 31; }
    uint32_t members() const { return info & 0xffff; }
    bool operator==(const Record &) const = default;
};

// Types and strings of a whole; nothing when it is none.
struct Sections {
    Bytes types, strings;
};
std::optional<Sections> sections(Bytes btf);

// What follows a record; nothing when its kind is not known.
std::optional<uint64_t> tail_bytes(const Record &record);

// Calls `visit(number, record, its offset in the types)` for each until it returns false. `number`:
// the first one's.
template <class Visit>
void each_record(Bytes types, uint32_t number, Visit visit)
{
    for (uint64_t offset = 0;; number++) {
        auto record = types.read<Record>(offset);
        if (!record || !visit(number, *record, offset))
            return;
        auto tail = tail_bytes(*record);
        if (!tail)
            return;
        offset += sizeof(Record) + *tail;
    }
}

}  // namespace uscope::btf
