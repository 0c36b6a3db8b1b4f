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
    uint8_t bit_size = 0;    // 0: no bit-field
};

struct Type {
    enum class Kind : uint8_t { Void, Integer, Float, Pointer, Array, Struct };
    Kind kind = Kind::Integer;
    std::string name;        // "unsigned int", "struct client"; for messages
    uint64_t size = 0;       // bytes; Pointer 8; Array: all of it, 0 if of unknown length
    bool is_signed = false;  // Integer
    // A whole register whose type nobody knows: 8 bytes, of which a C `int` argument uses 4. A
    // plain %d shows it as an int, as C would.
    bool is_register = false;
    // A pointer (or a register that may hold one) into the memory of the program, in code of the
    // kernel: C's __user.
    bool is_user = false;
    bool is_char =
        false;  // char in any signedness: a pointer or array of it is a string by default
    // Struct: it begins with a pointer and a length, of a text (Go's string and []byte).
    bool is_counted = false;
    // Struct: Go's interface. Its first word is the type of what it holds, or of one with methods a
    // table whose second word is that; its second is a pointer to what it holds.
    enum class Interface : uint8_t { No, Empty, WithMethods };
    Interface interface = Interface::No;
    TypeRef target;  // Pointer: what it points to (null: void); Array: its elements
    // Struct and union: a member by name, also inside anonymous members; and all names, for near
    // names.
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
TypeRef user_pointer_to(TypeRef target);             // into the program's memory
TypeRef char_pointer();
// A C type written out in base types: "unsigned long long", "const char *", "uint32_t", "size_t",
// "u64", "s32", "bool", "pid_t", "void **", "struct client *" (through `find`, null if not given or
// not known). Null when it is none. A pointer to a structure that nobody knows is one to a
// structure without members.
TypeRef parse_type(std::string_view text,
                   const std::function<TypeRef(std::string_view)> &find = {});

}  // namespace uscope::types
