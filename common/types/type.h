// The types of the expression language: C's.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "types/type_ref.h"

namespace uscope::types {

struct Member {
    std::string name;
    TypeRef type;
    uint64_t offset = 0;     // bytes from the start of the structure
    uint8_t bit_offset = 0;  // bit-fields: from that byte, counted from the least significant bit
    uint8_t bit_size = 0;    // 0: not a bit-field
};

struct Type {
    enum class Kind : uint8_t { Void, Integer, Float, Pointer, Array, Struct };
    Kind kind = Kind::Integer;
    std::string name;        // "unsigned int", "struct client"; for messages
    uint64_t size = 0;       // bytes; Pointer: 8; Array: total, 0 if of unknown length
    bool is_signed = false;  // Integer
    // A whole register of unknown type: 8 bytes, of which a C `int` argument uses 4. A plain %d
    // shows it as an int, like C.
    bool is_register = false;
    // In kernel code, a pointer (or a register that may hold one) into user memory: C's __user.
    bool is_user = false;
    bool is_char = false;  // char of any signedness: its pointers and arrays are strings by default
    // Struct: begins with a text's pointer and length (Go's string and []byte).
    bool is_counted = false;
    // Struct: Go's interface. Its first word is the type of the held value or, for interfaces with
    // methods, a table whose second word is that type. Its second word points to the value.
    enum class Interface : uint8_t { No, Empty, WithMethods };
    Interface interface = Interface::No;
    TypeRef target;  // Pointer: the type it points to (null: void); Array: the element type
    // Struct and union: find a member by name, also in anonymous members; list all names, to
    // suggest similar ones.
    std::function<std::optional<Member>(std::string_view)> find_member;
    std::function<std::vector<std::string>()> member_names;

    bool is_string() const  // char * or char[], or a counted one
    {
        return is_counted ||
               ((kind == Kind::Pointer || kind == Kind::Array) && target && target->is_char);
    }
};

TypeRef integer_type(uint8_t size, bool is_signed);  // 1, 2, 4, 8 bytes
TypeRef pointer_to(TypeRef target);                  // null: void *
TypeRef user_pointer_to(TypeRef target);             // into user memory
TypeRef char_pointer();
// A C type written out in base types: "unsigned long long", "const char *", "uint32_t", "size_t",
// "u64", "s32", "bool", "pid_t", "void **", "struct client *". `find` looks up other names; null if
// it does not know them. Returns null if `text` is not a known type; but a pointer to an unknown
// structure becomes a pointer to a structure without members.
TypeRef parse_type(std::string_view text,
                   const std::function<TypeRef(std::string_view)> &find = {});

}  // namespace uscope::types
