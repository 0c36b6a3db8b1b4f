// The values of a record: where a program puts them, and how they are read back.
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
    // 8 bytes, the address of a Go interface's type; 0: nil. The `parts` fields behind it tell what
    // it holds (expr/interface.h), and are undefined when this is 0.
    Interface,
    Unknown,  // an operand that cannot be read: nothing in the record, `why` is shown
};

// In the record, at the field's offset, followed by the bytes.
struct StringSlot {
    int32_t
        status;  // >= 0: bytes that follow and are valid, without terminator; < 0: -errno, unreadable
    uint32_t
        length;  // str(p, n), buf(p, n): n; else the same as status, or capacity + 1: "longer than fits"
};

struct Field {
    Shape shape;
    uint8_t size;  // Integer, Float: of the type, bytes
    bool is_signed;
    types::TypeRef type;
    uint32_t offset;    // from the record's start
    uint32_t capacity;  // String, Bytes: most bytes that fit
    // Integer, Float, Interface: where in the record an int32 says 0, or why there is no value (which is 0
    // then): -errno of a read, -EDOM for a division by zero. 0: there is always a value.
    uint32_t status_offset = 0;
    uint32_t parts = 0;    // Interface
    std::string why = {};  // Unknown
};

// The value of `field` in `record`. Text points into the record. A record too short for it gives
// Unknown. `string_bytes`: the most bytes of a string that were asked for (-Z): longer ones are
// marked truncated.
output::Value read_field(const Field &field, Bytes record, uint32_t string_bytes);

}  // namespace uscope::expr
