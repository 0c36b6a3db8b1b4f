// The types that values have in users' expressions: those of C, and the strings and interfaces of
// Go.
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
    uint8_t bit_offset = 0;  // bit-fields: the first bit at `offset`, 0: the least significant
    uint8_t bit_size = 0;    // 0: not a bit-field
};

struct Type {
    enum class Kind : uint8_t { Void, Integer, Float, Pointer, Array, Struct };
    Kind kind = Kind::Integer;
    std::string name;        // "unsigned int", "struct client"; for messages
    uint64_t size = 0;       // bytes; Array: of all elements, 0 if their number is unknown
    bool is_signed = false;  // Integer
    // The value is a whole 8-byte register, and the type of what it holds is unknown. It may be a C
    // `int`, which uses only 4 of these bytes; so %d shows it as an int, as in C.
    bool is_register = false;
    // For probes on kernel code: a pointer into user memory (in C: __user), or a register that may
    // hold one.
    bool is_user = false;
    bool is_char = false;  // char, signed or not: pointers to it and arrays of it are strings
    // Struct: a text that begins with a pointer and a length in bytes (Go's string and []byte).
    bool is_counted = false;
    // Struct: an interface of Go, which is two words. The second one points to the value that the
    // interface holds. The first one points to the type of this value (Empty), or to a table whose
    // second word does (WithMethods).
    enum class Interface : uint8_t { No, Empty, WithMethods };
    Interface interface = Interface::No;
    TypeRef target;  // Pointer: the type it points to (null: void); Array: the element type
    // For structures and unions: find_member() finds a member by its name, also inside anonymous
    // members; member_names() lists all names, so that errors can suggest similar ones.
    std::function<std::optional<Member>(std::string_view)> find_member;
    std::function<std::vector<std::string>()> member_names;

    bool is_string() const  // char *, char[] or is_counted
    {
        return is_counted ||
               ((kind == Kind::Pointer || kind == Kind::Array) && target && target->is_char);
    }
};

TypeRef integer_type(uint8_t size, bool is_signed);  // 1, 2, 4, 8 bytes
TypeRef pointer_to(TypeRef target);                  // null: void *
TypeRef user_pointer_to(TypeRef target);             // with is_user set
TypeRef char_pointer();
// Parses a C type. The function itself knows C's base types, common typedefs and pointers:
// "unsigned long long", "const char *", "uint32_t", "size_t", "u64", "bool", "pid_t", "void **". It
// calls `find`, which may return null, for all other names. Returns null if the type is unknown. An
// exception: a pointer to an unknown structure ("struct client *") becomes a pointer to a structure
// without members.
TypeRef parse_type(std::string_view text,
                   const std::function<TypeRef(std::string_view)> &find = {});

}  // namespace uscope::types
