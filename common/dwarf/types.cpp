// Converts types. A structure can contain a pointer to its own type, such as
// struct node { struct node *next; }, so converting all types that a structure refers to would not
// end. The members of a structure are therefore converted only when somebody asks for them by
// name. The target of a pointer is converted at once, because chains of pointers are short.

#include "dwarf/types.h"

#include <algorithm>

namespace uscope::dwarf {

namespace {

using types::Type;
using types::TypeRef;

// Limits, so that damaged DWARF cannot cause endless loops or recursion.
constexpr int max_type_layers = 16;       // of pointers and arrays in one type
constexpr int max_member_nesting = 16;    // of anonymous members and base classes
constexpr size_t max_visited = 20000;     // members visited in one search for a name
constexpr uint64_t max_text_offset = 64;  // of the members of a String

class Maker {
  public:
    explicit Maker(const std::shared_ptr<Session> &session) : session_(session) {}

    TypeRef make(std::optional<Dwarf_Die> die, int layer = 0)
    {
        auto type = std::make_shared<Type>();
        type->kind = Type::Kind::Void;
        type->name = "void";
        auto base = peeled(die);
        if (!base || layer > max_type_layers)
            return type;
        fill(*type, *base, layer);
        if (auto alias = typedef_name(*die); !alias.empty())
            type->name = alias;
        return type;
    }

  private:
    static std::string typedef_name(Dwarf_Die die)
    {
        while (dwarf_tag(&die) == DW_TAG_const_type || dwarf_tag(&die) == DW_TAG_volatile_type) {
            auto inner = reference(die, DW_AT_type);
            if (!inner || dwarf_dieoffset(&*inner) == dwarf_dieoffset(&die))
                return "";
            die = *inner;
        }
        return dwarf_tag(&die) == DW_TAG_typedef ? std::string(name_of(die)) : "";
    }

    void fill(Type &type, Dwarf_Die &die, int layer)
    {
        switch (dwarf_tag(&die)) {
        case DW_TAG_base_type:
            return fill_base(type, die);
        case DW_TAG_enumeration_type:
            return fill_enumeration(type, die);
        case DW_TAG_pointer_type:
        case DW_TAG_reference_type:
        case DW_TAG_rvalue_reference_type:
            type.kind = Type::Kind::Pointer;
            // Rust's references are pointers by the name &T.
            type.is_reference =
                dwarf_tag(&die) != DW_TAG_pointer_type || name_of(die).starts_with('&');
            type.size = 8;
            type.target = make(reference(die, DW_AT_type), layer + 1);
            type.name = type.target->name + " *";
            if (type.target->kind == Type::Kind::Void)
                type.target = nullptr;
            return;
        case DW_TAG_array_type:
            return fill_array(type, die, layer);
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
        case DW_TAG_union_type:
            return fill_structure(type, die);
        case DW_TAG_ptr_to_member_type:
            return fill_opaque(type, die, "pointer to member");
        default:  // functions, and types of other languages
            return;
        }
    }

    void fill_base(Type &type, Dwarf_Die &die)
    {
        uint64_t encoding = number_of(die, DW_AT_encoding).value_or(0), size = size_of(die);
        bool is_power = size == 1 || size == 2 || size == 4 || size == 8;
        bool is_float = encoding == DW_ATE_float && (size == 4 || size == 8);
        bool is_integer = encoding != DW_ATE_float && encoding != DW_ATE_complex_float &&
                          encoding != DW_ATE_decimal_float && is_power;
        if (!is_float && !is_integer)
            return fill_opaque(type, die, "");
        type.kind = is_float ? Type::Kind::Float : Type::Kind::Integer;
        type.name = name_of(die);
        type.size = size;
        type.is_signed = is_float || encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
        type.is_char = size == 1 && (encoding == DW_ATE_signed_char ||
                                     encoding == DW_ATE_unsigned_char || encoding == DW_ATE_UTF);
    }

    void fill_enumeration(Type &type, Dwarf_Die &die)
    {
        auto base = peeled(reference(die, DW_AT_type));
        uint64_t encoding = base ? number_of(*base, DW_AT_encoding).value_or(0) : 0;
        type.kind = Type::Kind::Integer;
        type.name = "enum " + std::string(name_of(die));
        type.size = std::min<uint64_t>(size_of(die), 8);
        type.is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
        type.constant_name = [session = session_, die, is_signed = type.is_signed](int64_t value) {
            std::string name;
            each_constant(die, is_signed, [&](std::string_view constant, int64_t its_value) {
                if (its_value == value)
                    name = constant;
                return name.empty();
            });
            return name;
        };
        type.constant_value = [session = session_, die,
                               is_signed = type.is_signed](std::string_view name) {
            std::optional<int64_t> value;
            each_constant(die, is_signed, [&](std::string_view constant, int64_t its_value) {
                if (constant == name)
                    value = its_value;
                return !value;
            });
            return value;
        };
    }

    // Calls visit(name, value) for the constants of an enumeration, until it returns false.
    template <class Visit>
    static void each_constant(Dwarf_Die enumeration, bool is_signed, Visit visit)
    {
        size_t seen = 0;
        each_child(enumeration, [&](Dwarf_Die &child) {
            Dwarf_Attribute attr;
            Dwarf_Sword value;
            if (dwarf_tag(&child) != DW_TAG_enumerator || ++seen > max_visited ||
                !dwarf_attr(&child, DW_AT_const_value, &attr) ||
                dwarf_formsdata(&attr, &value) != 0)
                return seen <= max_visited;
            // Short forms do not say whether they are signed.
            if (!is_signed)
                value = number_of(child, DW_AT_const_value).value_or(value);
            return static_cast<bool>(visit(name_of(child), value));
        });
    }

    void fill_array(Type &type, Dwarf_Die &die, int layer)
    {
        std::vector<uint64_t> counts;
        each_child(die, [&](Dwarf_Die &child) {
            if (dwarf_tag(&child) == DW_TAG_subrange_type) {
                auto last = number_of(child, DW_AT_upper_bound);
                counts.push_back(number_of(child, DW_AT_count).value_or(last ? *last + 1 : 0));
            }
            return counts.size() < max_type_layers;
        });
        TypeRef element = make(reference(die, DW_AT_type), layer + 1);
        if (counts.empty())
            counts.push_back(0);
        while (counts.size() > 1) {  // int[3][5] is an array of three int[5]
            auto inner = std::make_shared<Type>();
            set_array(*inner, element, counts.back());
            counts.pop_back();
            element = inner;
        }
        set_array(type, element, counts[0]);
    }

    static void set_array(Type &type, const TypeRef &element, uint64_t count)
    {
        type.kind = Type::Kind::Array;
        type.target = element;
        type.name = element->name + "[]";
        if (__builtin_mul_overflow(element->size, count, &type.size))
            type.size = 0;
    }

    static bool is_go_text(Dwarf_Die &die)
    {
        constexpr unsigned go_kind = 0x2900, slice = 23,
                           string = 24;  // DW_AT_go_kind, reflect.Kind
        uint64_t kind = number_of(die, go_kind).value_or(0);
        return kind == string || (kind == slice && name_of(die) == "[]uint8");
    }

    std::optional<types::TextLayout> text_layout(Dwarf_Die &die, uint64_t size)
    {
        if (is_go_text(die))
            return types::TextLayout();
        std::string_view name = name_of(die);
        bool is_cpp = name.starts_with("basic_string") || name.starts_with("vector<");
        if (is_cpp) {
            auto known = types::find_text_class(qualified_name(die));
            if (known && (size == 0 || size == known->size))
                return known->layout;
            return std::nullopt;
        }
        if (auto qt = types::find_qt_text(name, size))
            return qt;
        return rust_text_layout(die, name);
    }

    // Rust's slices are an address and a length; a String is a Vec<u8>, whose order of members
    // depends on the compiler's version.
    std::optional<types::TextLayout> rust_text_layout(Dwarf_Die &die, std::string_view name)
    {
        bool is_slice = name == "&str" || name == "&mut str" || name == "&[u8]" ||
                        name == "&mut [u8]" || name.starts_with("alloc::boxed::Box<str,") ||
                        name.starts_with("Box<str,");
        if (is_slice) {
            auto address = offset_of(die, {"data_ptr"}), length = offset_of(die, {"length"});
            if (address && length)
                return layout_of(*address, *length);
            return std::nullopt;
        }
        // None has the address 0. (That of an Option<String> is in another word.)
        if (auto held = content_of_option(die))
            return size_of(*held) == size_of(die) && name_of(*held) != "String" &&
                           !name_of(*held).starts_with("Vec<")
                       ? rust_text_layout(*held, name_of(*held))
                       : std::nullopt;
        if (name != "String" && !name.starts_with("Vec<u8"))
            return std::nullopt;
        std::vector<std::string_view> start;
        if (name == "String")
            start.push_back("vec");
        auto path = [&](std::initializer_list<std::string_view> rest) {
            std::vector<std::string_view> all = start;
            all.insert(all.end(), rest);
            return offset_of(die, all);
        };
        auto length = path({"len"});
        auto address = path({"buf", "inner", "ptr"});  // since 1.83
        if (!address)
            address = path({"buf", "ptr"});
        if (address && length)
            return layout_of(*address, *length);
        return std::nullopt;
    }

    static types::TextLayout layout_of(uint64_t address, uint64_t length)
    {
        return {.pointer = static_cast<uint32_t>(address), .length = static_cast<uint32_t>(length)};
    }

    // Returns the offset of a member of a member …; nullopt if one of them is unknown.
    std::optional<uint64_t> offset_of(Dwarf_Die structure,
                                      const std::vector<std::string_view> &path)
    {
        uint64_t offset = 0;
        for (std::string_view name : path) {
            std::optional<Dwarf_Die> found;
            each_child(structure, [&](Dwarf_Die &child) {
                if (dwarf_tag(&child) != DW_TAG_member || name_of(child) != name)
                    return true;
                found = child;
                return false;
            });
            if (!found)
                return std::nullopt;
            uint64_t at = member_offset(*found).value_or(max_text_offset + 1);
            auto type = peeled(reference(*found, DW_AT_type));
            if (!type || at > max_text_offset)
                return std::nullopt;
            offset += at;
            structure = *type;
        }
        return offset;
    }

    static Type::Interface interface_of(Dwarf_Die &die)
    {
        std::string_view name = name_of(die);
        if (name == "runtime.iface")
            return Type::Interface::WithMethods;
        return name == "runtime.eface" ? Type::Interface::Empty : Type::Interface::No;
    }

    void fill_structure(Type &type, Dwarf_Die &die)
    {
        const char *tag = dwarf_tag(&die) == DW_TAG_union_type ? "union " : "struct ";
        type.kind = Type::Kind::Struct;
        type.name = tag + std::string(name_of(die));
        type.size = size_of(die);
        type.text = text_layout(die, type.size);
        type.interface = interface_of(die);
        type.find_member = [session = session_, die](std::string_view name) {
            return Maker(session).find_member(die, name);
        };
        type.member_names = [session = session_, die] {
            std::vector<std::string> names;
            Maker(session).each_member(die, [&](Dwarf_Die &member, uint64_t) {
                names.emplace_back(name_of(member));
                return true;
            });
            return names;
        };
    }

    static void fill_opaque(Type &type, Dwarf_Die &die, std::string_view name)
    {
        type.kind = Type::Kind::Struct;
        type.name = name.empty() ? name_of(die) : name;
        type.size = size_of(die);
        type.find_member = [](std::string_view) { return std::nullopt; };
        type.member_names = [] { return std::vector<std::string>(); };
    }

    // Calls visit(member, its offset in the structure) for the named members, then for the members
    // inside anonymous members and base classes, until visit() returns false.
    template <class Visit>
    bool each_member(Dwarf_Die structure, Visit visit, uint64_t offset = 0, int nesting = 0)
    {
        if (flag_of(structure, DW_AT_declaration)) {  // its definition may be in another unit
            auto body = session_->find_tagged(qualified_name(structure));
            if (!body)
                return true;
            structure = *body;
        }
        std::vector<std::pair<Dwarf_Die, uint64_t>> unnamed, bases;
        bool more = each_child(structure, [&](Dwarf_Die &child) {
            int tag = dwarf_tag(&child);
            if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || ++seen_ > max_visited ||
                flag_of(child, DW_AT_external))  // a static member
                return seen_ <= max_visited;
            auto at = member_offset(child);
            if (!at)
                return true;
            if (tag == DW_TAG_member && !name_of(child).empty())
                return static_cast<bool>(visit(child, offset + *at));
            auto type = peeled(reference(child, DW_AT_type));
            if (type && is_structure(*type))
                (tag == DW_TAG_member ? unnamed : bases).emplace_back(*type, offset + *at);
            return true;
        });
        for (auto *inner : {&unnamed, &bases})
            for (auto &[type, at] : *inner)
                more = more && nesting < max_member_nesting &&
                       each_member(type, visit, at, nesting + 1);
        return more;
    }

    std::optional<types::Member> find_member(Dwarf_Die structure, std::string_view name)
    {
        std::optional<types::Member> found;
        each_member(structure, [&](Dwarf_Die &member, uint64_t offset) {
            if (name_of(member) != name)
                return true;
            found = types::Member{std::string(name), make(reference(member, DW_AT_type)), offset};
            if (!set_bits(*found, member))
                found.reset();
            return false;
        });
        return found;
    }

    // Sets the position of a bit-field, as C code reads it: `offset` is that of an aligned value of
    // the member's type that contains all bits of the field, and `bit_offset` is the field's first
    // bit in this value. DWARF 5 counts the field's bits from the structure's start, DWARF 2 from
    // the *most* significant bit of a storage unit. Returns false if no single such value contains
    // the field (in packed structures).
    static bool set_bits(types::Member &member, Dwarf_Die &die)
    {
        auto bits = number_of(die, DW_AT_bit_size);
        if (!bits)
            return true;
        uint64_t unit = member.type->size * 8, first = member.offset * 8;
        if (auto from_start = number_of(die, DW_AT_data_bit_offset))
            first += *from_start;
        else if (auto from_top = number_of(die, DW_AT_bit_offset))
            first +=
                number_of(die, DW_AT_byte_size).value_or(member.type->size) * 8 - *from_top - *bits;
        if (unit == 0 || *bits == 0 || first % unit + *bits > unit)
            return false;
        member.offset = first / unit * member.type->size;
        member.bit_offset = first % unit;
        member.bit_size = *bits;
        return true;
    }

    const std::shared_ptr<Session> &session_;
    size_t seen_ = 0;
};

}  // namespace

types::TypeRef make_type(const std::shared_ptr<Session> &session, std::optional<Dwarf_Die> type)
{
    return Maker(session).make(type);
}

}  // namespace uscope::dwarf
