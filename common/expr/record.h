// The fields of a record: where a program puts its values, and how to read them back.
#pragma once

#include <cstdint>
#include <memory>

#include "base/bytes.h"
#include "expr/value_form.h"
#include "output/printf.h"
#include "types/type_ref.h"

namespace uscope::expr {

class Whole;

enum class Shape : uint8_t {
    Integer,  // 8 bytes, sign- or zero-extended by its type
    Float,    // 8 bytes, the raw 4- or 8-byte IEEE value in the low bytes
    String,   // a StringSlot: text up to a NUL, or of a given length
    Bytes,    // a StringSlot with exactly `length` bytes, which may include NULs
    // 8 bytes: the address of the type of the value that a Go interface holds; 0: nil. The next
    // `parts` fields are the parts of this value (expr/interface.h); they are undefined for nil.
    Interface,
    // A StringSlot with the bytes of a structure or an array; the next `parts` fields are texts
    // that it refers to (expr/whole.h).
    Whole,
    NetAddress,  // a StringSlot with the bytes of an address of the network
    Wide,        // a StringSlot with the bytes of a text whose characters have `size` bytes
    Fixed,       // the text `why`, which is the same in all records: they do not have it
    Unknown,     // a value that cannot be read: the record does not have it, show `why` instead
};

// What the record has at the offset of a String or Bytes field. The bytes follow it.
struct StringSlot {
    int32_t status;  // >= 0: number of valid bytes, without terminator; < 0: -errno, unreadable
    // For str(p, n) and buf(p, n): n. For other strings: the same as `status`, or capacity + 1 if
    // the string is longer than the capacity. Wide: capacity + 1, or the bytes of wstr(p, n).
    uint32_t length;
};

struct Field {
    Shape shape;
    uint8_t size;  // Integer, Float: the type's size in bytes
    bool is_signed;
    types::TypeRef type;
    uint32_t offset;    // in the record, bytes
    uint32_t capacity;  // String, Bytes: most bytes that fit
    // Integer, Float, Interface: the offset in the record of a status, an int32. The status is 0,
    // or the reason why there is no value (-errno of a read, -EDOM for a division by zero); the
    // value is then 0. If status_offset is 0, the record has no status, because the value always
    // exists.
    uint32_t status_offset = 0;
    uint32_t parts = 0;    // Interface, Whole
    std::string why = {};  // Unknown, Fixed
    std::shared_ptr<const Whole> whole = {};
};

// Is this the name of a type of characters? Not unsigned char or uint8_t, which are numbers.
bool is_named_char(std::string_view name);

// Returns an integer, pointer or floating-point number of this type. `raw`: its bytes, extended to
// 8 by the type.
output::Value value_of_type(const types::Type &type, uint64_t raw);

// Returns the value of `field` in `record`; its text points into the record, and is the bytes of a
// Whole or a NetAddress. Returns Unknown if the record is too short. `string_bytes`: the option -Z;
// longer strings are cut and marked truncated.
output::Value read_field(const Field &field, Bytes record, uint32_t string_bytes);

}  // namespace uscope::expr
