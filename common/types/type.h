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
    std::string name = {};
    TypeRef type = {};
    uint64_t offset = 0;     // bytes from the start of the structure
    uint8_t bit_offset = 0;  // bit-fields: the first bit at `offset`, 0: the least significant
    uint8_t bit_size = 0;    // 0: not a bit-field
};

// Where a structure has the address and the length of its text.
struct TextLayout {
    enum class Form : uint8_t {
        Counted,  // at `pointer` the address of the text, at `length` its length in bytes
        Ends,  // at `pointer` the address of the first byte, at `length` that behind the last one
        // At `pointer` the address of the text, which has its length 24 bytes before it: the
        // strings of libstdc++ before GCC 5.
        BehindLength,
        // The strings of libc++ (little-endian). If bit 0 of the first byte is set, a text at the
        // address in word 2, of the length in word 1; else the text follows the first byte, whose
        // other bits are its length.
        LibCxx,
        // QString: at `pointer` the address of the text, at `length` its length in characters of
        // UTF-16.
        Qt6,
        // QString before Qt 6: the structure is a pointer to a header. The int at byte 4 of this is
        // the length, the word at byte 16 the distance from the header to the text.
        Qt5,
    };
    bool is_utf16() const { return form == Form::Qt6 || form == Form::Qt5; }
    Form form = Form::Counted;
    uint32_t pointer = 0, length = 8;  // byte offsets in the structure
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
    bool is_reference = false;  // Pointer: a reference of C++
    bool is_char = false;       // char, signed or not: pointers to it and arrays of it are strings
    // Struct: it holds a text, as a std::string and a Go string do.
    std::optional<TextLayout> text;
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
    // Enumerations: the name of the constant with this value, "" if there is none; and the value of
    // the constant with this name. Null for other types. constant_value is also null if only the
    // output has the name.
    std::function<std::string(int64_t)> constant_name;
    std::function<std::optional<int64_t>(std::string_view)> constant_value;

    // char *, char[], a structure with a text, or a pointer to one.
    bool is_string() const
    {
        bool is_list = kind == Kind::Pointer || kind == Kind::Array;
        return text || (is_list && target && target->is_char) || points_to_text();
    }
    // A pointer, or a register that is known to hold one.
    bool points_to_text() const
    {
        return (kind == Kind::Pointer || is_register) && target && target->text;
    }
};

TypeRef integer_type(uint8_t size, bool is_signed);  // 1, 2, 4, 8 bytes
TypeRef pointer_to(TypeRef target);                  // null: void *
TypeRef user_pointer_to(TypeRef target);             // with is_user set
TypeRef char_pointer();
TypeRef errno_type();  // int, whose values are named ENOENT and so on
// Returns the value of a constant of the C library's headers: E*, O_*, AF_*, SIG* …
std::optional<int64_t> system_constant(std::string_view name);
// A class of C++ that holds a text.
struct TextClass {
    TextLayout layout;
    uint64_t size = 0;     // bytes
    bool is_view = false;  // passed in two registers, others by the address of a copy
};
// Knows "std::string", "std::string_view", "std::vector<char>" and the templates that these stand
// for, of libstdc++ and libc++; without "const" and "&". Returns nullopt for other names. Sources:
// the headers of libstdc++ 4 to 15 and libc++ 3 to 20.
std::optional<TextClass> find_text_class(std::string_view name);
// Returns the layout of Qt's QString, by its size; nullopt for other classes. Sources: the headers
// qstring.h and qarraydata.h of Qt 5.0 to 5.15 and 6.0 to 6.9.
std::optional<TextLayout> find_qt_text(std::string_view name, uint64_t size);
// Parses a C type. The function itself knows C's base types, common typedefs and pointers:
// "unsigned long long", "const char *", "uint32_t", "size_t", "u64", "bool", "pid_t", "void **". It
// calls `find`, which may return null, for all other names. Returns null if the type is unknown. An
// exception: a pointer to an unknown structure ("struct client *") becomes a pointer to a structure
// without members.
TypeRef parse_type(std::string_view text,
                   const std::function<TypeRef(std::string_view)> &find = {});

}  // namespace uscope::types
