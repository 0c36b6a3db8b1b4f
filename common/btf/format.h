// Splits BTF into its records. common/btf/functions.h explains the format.
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"

namespace uscope::btf {

// The start of BTF data. Offsets count from the end of the header.
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

// The fixed part of a type's description. Depending on the kind, more data follow (tail_bytes()).
struct Record {
    uint32_t name, info, type;  // `type`: a type's number or a size, depending on the kind

    Kind kind() const { return Kind(info >> 24 & 31); }
    bool flag() const { return info >> 31; }
    uint32_t members() const { return info & 0xffff; }
    bool operator==(const Record &) const = default;
};

// The types and strings of BTF data.
struct Sections {
    Bytes types, strings;
};
// Returns nullopt if `btf` is not BTF, or if its header points outside of it.
std::optional<Sections> sections(Bytes btf);

// Returns how many bytes of data follow a record and belong to it; nullopt if its kind is unknown.
std::optional<uint64_t> tail_bytes(const Record &record);

// Calls `visit(number, record, offset of the record in `types`)` for each record, until visit()
// returns false or a record is damaged. `number` is the type number of the first record.
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
