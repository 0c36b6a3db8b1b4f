// Creates types, and parses the names of C types.
#include "types/type.h"

#include <algorithm>
#include <array>
#include <map>

#include "types/qt.h"

namespace uscope::types {
namespace {

TypeRef make_integer(std::string name, uint8_t size, bool is_signed, bool is_char = false)
{
    auto type = std::make_shared<Type>();
    type->name = std::move(name);
    type->size = size;
    type->is_signed = is_signed;
    type->is_char = is_char;
    return type;
}

TypeRef make_float(std::string name, uint64_t size)
{
    auto type = std::make_shared<Type>();
    type->kind = Type::Kind::Float;
    type->name = std::move(name);
    type->size = size;
    type->is_signed = true;
    return type;
}

TypeRef make_void()
{
    auto type = std::make_shared<Type>();
    type->kind = Type::Kind::Void;
    type->name = "void";
    return type;
}

// A structure of which only the name is known. A pointer to it can still be printed.
TypeRef make_incomplete(std::string name)
{
    auto type = std::make_shared<Type>();
    type->kind = Type::Kind::Struct;
    type->name = std::move(name);
    return type;
}

TypeRef make_text(std::string name, const TextClass &known)
{
    auto type = std::make_shared<Type>();
    type->kind = Type::Kind::Struct;
    type->name = std::move(name);
    type->size = known.size;
    type->text = known.layout;
    return type;
}

// Is `name` the template `start` for characters: "std::vector<char>", "std::vector<char,
// std::allocator<char> >"?
bool is_of_chars(std::string_view name, std::string_view start)
{
    if (!name.starts_with(start))
        return false;
    name.remove_prefix(start.size());
    for (std::string_view character : {"<char", "<unsigned char", "<signed char"}) {
        if (name.starts_with(character))
            return name.size() > character.size() &&
                   (name[character.size()] == ',' || name[character.size()] == '>');
    }
    return false;
}

// The sizes, on 64-bit Linux, of typedefs that occur in the declarations of C functions.
TypeRef known_typedef(std::string_view name)
{
    struct Known {
        uint8_t size;
        bool is_signed;
    };
    static const std::map<std::string, Known, std::less<>> table = {
        {"bool", {1, false}},      {"_Bool", {1, false}},     {"int8_t", {1, true}},
        {"int16_t", {2, true}},    {"int32_t", {4, true}},    {"int64_t", {8, true}},
        {"uint8_t", {1, false}},   {"uint16_t", {2, false}},  {"uint32_t", {4, false}},
        {"uint64_t", {8, false}},  {"s8", {1, true}},         {"s16", {2, true}},
        {"s32", {4, true}},        {"s64", {8, true}},        {"u8", {1, false}},
        {"u16", {2, false}},       {"u32", {4, false}},       {"u64", {8, false}},
        {"__s8", {1, true}},       {"__s16", {2, true}},      {"__s32", {4, true}},
        {"__s64", {8, true}},      {"__u8", {1, false}},      {"__u16", {2, false}},
        {"__u32", {4, false}},     {"__u64", {8, false}},     {"size_t", {8, false}},
        {"ssize_t", {8, true}},    {"intptr_t", {8, true}},   {"uintptr_t", {8, false}},
        {"ptrdiff_t", {8, true}},  {"pid_t", {4, true}},      {"uid_t", {4, false}},
        {"gid_t", {4, false}},     {"off_t", {8, true}},      {"loff_t", {8, true}},
        {"mode_t", {4, false}},    {"umode_t", {2, false}},   {"dev_t", {8, false}},
        {"ino_t", {8, false}},     {"time_t", {8, true}},     {"clock_t", {8, true}},
        {"clockid_t", {4, true}},  {"socklen_t", {4, false}}, {"sa_family_t", {2, false}},
        {"in_addr_t", {4, false}}, {"in_port_t", {2, false}}, {"key_t", {4, true}},
        {"wchar_t", {4, true}},    {"uint", {4, false}},      {"ulong", {8, false}},
        {"char16_t", {2, false}},  {"char32_t", {4, false}},  {"WCHAR", {2, false}},
        {"ushort", {2, false}},    {"gfp_t", {4, false}},     {"sector_t", {8, false}},
    };
    auto found = table.find(name);
    if (found == table.end())
        return nullptr;
    return make_integer(std::string(name), found->second.size, found->second.is_signed);
}

bool is_qualifier(std::string_view word)
{
    return word == "const" || word == "volatile" || word == "restrict" || word == "__restrict" ||
           word == "__kernel";
}

// Counts the words "unsigned", "long" and so on in a type's name, because C allows any order of
// them.
struct BaseWords {
    int n_unsigned = 0, n_signed = 0, n_long = 0, n_short = 0, n_int = 0, n_char = 0, n_double = 0;

    int *count(std::string_view word)
    {
        if (word == "unsigned")
            return &n_unsigned;
        if (word == "signed" || word == "__signed__")
            return &n_signed;
        if (word == "long")
            return &n_long;
        if (word == "short")
            return &n_short;
        if (word == "int")
            return &n_int;
        if (word == "char")
            return &n_char;
        return word == "double" ? &n_double : nullptr;
    }

    TypeRef type() const
    {
        if (n_unsigned + n_signed > 1 || n_short + n_char + n_double > 1 || n_int > 1 || n_long > 2)
            return nullptr;
        bool is_signed = n_unsigned == 0;
        if (n_double)
            return n_unsigned + n_signed + n_int + n_long ? nullptr : make_float("double", 8);
        std::string prefix = is_signed ? "" : "unsigned ";
        if (n_char) {
            if (n_long || n_int)
                return nullptr;
            // Plain char is unsigned on arm64.
            bool plain_signed = is_signed && (n_signed || std::is_signed_v<char>);
            return make_integer(n_signed ? "signed char" : prefix + "char", 1, plain_signed, true);
        }
        if (n_short)
            return n_long ? nullptr : make_integer(prefix + "short", 2, is_signed);
        if (n_long)
            return make_integer(prefix + (n_long == 2 ? "long long" : "long"), 8, is_signed);
        return make_integer(prefix + "int", 4, is_signed);
    }
};

// Returns the length of the word at the start of `text`. The arguments of a template, which may
// contain spaces, are a part of it.
size_t word_length(std::string_view text)
{
    int depth = 0;
    for (size_t i = 0; i < text.size(); i++) {
        depth += text[i] == '<';
        depth -= text[i] == '>' && depth > 0;
        if (depth == 0 && std::string_view(" \t*&[(").find(text[i]) != std::string_view::npos)
            return i;
    }
    return text.size();
}

// Removes the next word, or the next of the characters * & [ (, from `text` and returns it; "" at
// the end.
std::string_view next_word(std::string_view &text)
{
    size_t start = text.find_first_not_of(" \t");
    if (start == std::string_view::npos)
        return text = {};
    text.remove_prefix(start);
    size_t length = word_length(text);
    if (length == 0)
        length = 1;
    std::string_view word = text.substr(0, length);
    text.remove_prefix(word.size());
    return word;
}

TypeRef base_type(const std::vector<std::string_view> &words, bool is_pointer,
                  const std::function<TypeRef(std::string_view)> &find)
{
    if (words.empty())
        return nullptr;
    BaseWords base;
    bool all_base = true;
    for (std::string_view word : words) {
        if (int *count = base.count(word))
            ++*count;
        else
            all_base = false;
    }
    if (all_base)
        return base.type();

    bool tagged = words.size() == 2 && (words[0] == "struct" || words[0] == "union" ||
                                        words[0] == "enum" || words[0] == "class");
    if (words.size() != 1 && !tagged)
        return nullptr;
    if (words[0] == "void")
        return make_void();
    if (words[0] == "float")
        return make_float("float", 4);
    if (!tagged) {
        if (TypeRef known = known_typedef(words[0]))
            return known;
    }
    std::string name(words[0]);
    if (tagged)
        name.append(" ").append(words[1]);
    if (find) {
        if (TypeRef found = find(name))
            return found;
    }
    if (auto text = find_text_class(words[0]))
        return make_text(std::move(name), *text);
    if (words[0] == "enum")
        return make_integer(name, 4, false);
    return tagged && is_pointer ? make_incomplete(name) : nullptr;
}

}  // namespace

std::optional<TextClass> find_text_class(std::string_view name)
{
    using Form = TextLayout::Form;
    // What users type means the libstdc++ of today; mangled names say which library it is.
    constexpr std::array<std::string_view, 3> strings = {"std::string", "string",
                                                         "std::__cxx11::string"};
    if (std::find(strings.begin(), strings.end(), name) != strings.end() ||
        is_of_chars(name, "std::__cxx11::basic_string"))
        return TextClass{{Form::Counted, 0, 8}, 32};
    if (is_of_chars(name, "std::basic_string"))
        return TextClass{{Form::BehindLength, 0, 0}, 8};
    if (is_of_chars(name, "std::__1::basic_string"))
        return TextClass{{Form::LibCxx, 0, 0}, 24};
    if (name == "std::string_view" || name == "string_view" ||
        is_of_chars(name, "std::basic_string_view"))
        return TextClass{{Form::Counted, 8, 0}, 16, true};
    if (is_of_chars(name, "std::__1::basic_string_view"))
        return TextClass{{Form::Counted, 0, 8}, 16, true};
    if (is_of_chars(name, "std::vector") || is_of_chars(name, "std::__1::vector"))
        return TextClass{{Form::Ends, 0, 8}, 24};
    return std::nullopt;
}

std::optional<TextLayout> find_qt_text(std::string_view name, uint64_t size)
{
    using Form = TextLayout::Form;
    if (name != "QString" || (size != 8 && size != 24))
        return std::nullopt;
    return size == 24 ? TextLayout{Form::Qt6, 8, 16} : TextLayout{Form::Qt5, 0, 0};
}

TypeRef qt_text_type(unsigned version)
{
    constexpr std::string_view name = "QString";
    if (version != 5 && version != 6)
        return make_incomplete(
            "a QString of unknown layout (the file needs neither libQt5Core nor libQt6Core)");
    uint64_t size = version == 5 ? 8 : 24;
    return make_text(std::string(name), {*find_qt_text(name, size), size});
}

TypeRef integer_type(uint8_t size, bool is_signed)
{
    static const std::array<TypeRef, 8> types = {
        make_integer("uint8_t", 1, false),        make_integer("int8_t", 1, true),
        make_integer("unsigned short", 2, false), make_integer("short", 2, true),
        make_integer("unsigned int", 4, false),   make_integer("int", 4, true),
        make_integer("unsigned long", 8, false),  make_integer("long", 8, true),
    };
    size_t row = size == 1 ? 0 : size == 2 ? 2 : size == 4 ? 4 : 6;
    return types[row + is_signed];
}

TypeRef pointer_to(TypeRef target)
{
    auto type = std::make_shared<Type>();
    type->kind = Type::Kind::Pointer;
    std::string name = target ? target->name : "void";
    type->name = name + (name.ends_with('*') ? "*" : " *");
    type->size = 8;
    if (target && target->kind != Type::Kind::Void)
        type->target = std::move(target);
    return type;
}

TypeRef user_pointer_to(TypeRef target)
{
    auto type = std::make_shared<Type>(*pointer_to(std::move(target)));
    type->is_user = true;
    return type;
}

TypeRef char_pointer()
{
    static const TypeRef type = pointer_to(parse_type("char"));
    return type;
}

TypeRef parse_type(std::string_view text, const std::function<TypeRef(std::string_view)> &find)
{
    std::vector<std::string_view> words;
    size_t stars = 0;
    bool is_user = false;
    for (std::string_view word = next_word(text); !word.empty(); word = next_word(text)) {
        if (word == "*")
            stars++;
        else if (word == "__user")
            is_user = true;
        else if (is_qualifier(word))
            continue;
        else if (stars)
            return nullptr;
        else
            words.push_back(word);
    }
    constexpr size_t max_stars = 16;
    if (stars > max_stars)
        return nullptr;
    TypeRef type = base_type(words, stars > 0, find);
    for (; type && stars; stars--)
        type = is_user ? user_pointer_to(type) : pointer_to(type);
    return type;
}

}  // namespace uscope::types
