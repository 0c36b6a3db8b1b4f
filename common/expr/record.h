// The fields of a record: where a program puts its values, and how to read them back.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "expr/wanted.h"
#include "output/printf.h"
#include "types/type_ref.h"

namespace uscope::expr {

enum class Shape : uint8_t {
    Integer,  // 8 bytes, extended by its type's signedness
    Float,    // 8 bytes, the raw 4- or 8-byte IEEE value in the low end
    String,   // up to a NUL, or exactly a length: a StringSlot
    Bytes,    // StringSlot with exactly `length` bytes
    // 8 bytes, the address of the type that a Go interface holds; 0: nil. The next `parts` fields
    // have what it holds (expr/interface.h); they are undefined if this is 0.
    Interface,
    Unknown,  // an operand that cannot be read: the record has nothing, show `why` instead
};

// The record has this at the field's offset, followed by the bytes.
struct StringSlot {
    int32_t status;  // >= 0: number of valid bytes, without terminator; < 0: -errno, unreadable
    // str(p, n), buf(p, n): n. Others: the same as status, or capacity + 1 if the string is longer.
    uint32_t length;
};

struct Field {
    Shape shape;
    uint8_t size;  // Integer, Float: the type's size in bytes
    bool is_signed;
    types::TypeRef type;
    uint32_t offset;    // in the record, bytes
    uint32_t capacity;  // String, Bytes: most bytes that fit
    // Integer, Float, Interface: offset of an int32 in the record, which is 0, or the reason why
    // there is no value (-errno of a read, -EDOM for a division by zero); the value is 0 then.
    // Offset 0: the value always exists.
    uint32_t status_offset = 0;
    uint32_t parts = 0;    // Interface
    std::string why = {};  // Unknown
};

// Returns the value of `field` in `record`; its text points into the record. Returns Unknown if the
// record is too short. `string_bytes`: the option -Z; longer strings are cut and marked truncated.
output::Value read_field(const Field &field, Bytes record, uint32_t string_bytes);

}  // namespace uscope::expr
