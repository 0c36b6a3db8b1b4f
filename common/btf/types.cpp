// Converts BTF records to types.
//
// A type can contain a pointer to itself (struct list_head { struct list_head *next; }), so
// converting all types that a structure refers to would not end. The members of a structure are
// therefore converted only when somebody asks for them by name. The target of a pointer is
// converted at once, because chains of pointers are short.
#include "btf/types.h"

#include <algorithm>

#include "abi/registers.h"
#include "base/format.h"

namespace uscope::btf {

namespace {

using types::Type;
using types::TypeRef;

// Limits, so that damaged BTF cannot cause endless loops or recursion.
constexpr int max_layers = 16;         // of pointers and arrays in one type
constexpr int max_qualifiers = 32;     // const, volatile and typedefs around one type
constexpr int max_nesting = 16;        // of anonymous members
constexpr size_t max_members = 20000;  // visited in one search for a name

// Elements of the data that follow a record:
struct ArrayTail {
    uint32_t element, index, count;
};
struct MemberTail {
    uint32_t name, type;
    uint32_t offset;  // in bits; in structures with bit-fields, the top byte is the field's size
};
struct ConstantTail {
    uint32_t name, value;
};
struct Constant64Tail {
    uint32_t name, low, high;
};
struct ParameterTail {
    uint32_t name, type;
};

}  // namespace

// Converts types by their numbers. An object serves one conversion or one search.
class Maker {
  public:
    explicit Maker(std::shared_ptr<const Types> types) : types_(std::move(types)) {}

    TypeRef make(uint32_t number, int layer = 0)
    {
        auto type = std::make_shared<Type>();
        type->kind = Type::Kind::Void;
        type->name = "void";
        Peeled base = peel(number);
        if (!base.entry || layer > max_layers)
            return type;
        fill(*type, *base.entry, base.number, layer);
        if (!base.alias.empty())
            type->name = base.alias;
        return type;
    }

    types::FunctionInfo function(const Types::Entry &prototype)
    {
        types::FunctionInfo info;
        Slots slots;
        for (uint32_t i = 0; i < prototype.record.members(); i++) {
            auto parameter = prototype.tail.read<ParameterTail>(i * sizeof(ParameterTail));
            bool is_last = i + 1 == prototype.record.members();
            if (!parameter || (is_last && parameter->name == 0 && parameter->type == 0))
                return info;  // variadic: the last slot stays unknown
            types::Parameter &made = info.parameters.emplace_back();
            made.name = types_->name(parameter->name);
            made.type = make(parameter->type);
            slots.pass(made);
        }
        info.last_slot = slots.next - 1;
        return info;
    }

    void set_result(types::FunctionInfo &info, uint32_t number)
    {
        TypeRef type = make(number);
        if (type->kind == Type::Kind::Void)
            return;
        if (type->kind == Type::Kind::Struct)
            info.return_why = fmt::format("a {}, returned by value", type->name);
        info.return_type = std::move(type);
    }

    std::optional<types::Member> find_member(uint32_t structure, std::string_view name)
    {
        std::optional<types::Member> found;
        each_member(structure, [&](const MemberTail &member, uint64_t first_bit, uint32_t bits) {
            if (types_->name(member.name) != name)
                return true;
            found = types::Member{std::string(name), make(member.type), first_bit / 8};
            if (!set_bits(*found, first_bit, bits))
                found.reset();
            return false;
        });
        return found;
    }

    std::vector<std::string> member_names(uint32_t structure)
    {
        std::vector<std::string> names;
        each_member(structure, [&](const MemberTail &member, uint64_t, uint32_t) {
            names.emplace_back(types_->name(member.name));
            return true;
        });
        return names;
    }

  private:
    // Numbers the slots of integer arguments (types::Parameter::slot). There are no others: no
    // kernel function has floating-point arguments.
    struct Slots {
        unsigned next = 1;

        void pass(types::Parameter &parameter)
        {
            const Type &type = *parameter.type;
            if (type.kind != Type::Kind::Struct) {
                parameter.slot = next++;
                return;
            }
            unsigned words = (type.size + 7) / 8;
            bool in_registers =
                words <= 2 && abi::argument_register(abi::host_machine, next + words - 1);
            parameter.why = fmt::format("a {} passed by value, ", type.name);
            if (!in_registers) {
                parameter.why += "on the stack";
            } else {
                parameter.why += words == 2 ? fmt::format("in arg{} and arg{}", next, next + 1)
                                            : fmt::format("in arg{}", next);
                next += words;
            }
        }
    };

    // A type without its typedefs and qualifiers.
    struct Peeled {
        std::optional<Types::Entry> entry;  // nullopt: void, or damaged
        uint32_t number = 0;
        std::string_view alias = {};  // the outermost typedef's name
        bool is_user = false;         // has the tag "user": pointers to it are user-space addresses
    };

    Peeled peel(uint32_t number) const
    {
        Peeled peeled = {.entry = types_->at(number), .number = number};
        for (int i = 0; i < max_qualifiers && peeled.entry; i++) {
            const Record &record = peeled.entry->record;
            switch (record.kind()) {
            case Kind::Typedef:
                if (peeled.alias.empty())
                    peeled.alias = types_->name(record.name);
                break;
            case Kind::TypeTag:
                peeled.is_user |= types_->name(record.name) == "user";
                break;
            case Kind::Volatile:
            case Kind::Const:
            case Kind::Restrict:
                break;
            default:
                return peeled;
            }
            peeled.number = record.type;
            peeled.entry = types_->at(peeled.number);
        }
        peeled.entry.reset();
        return peeled;
    }

    void fill(Type &type, const Types::Entry &entry, uint32_t number, int layer)
    {
        switch (entry.record.kind()) {
        case Kind::Int:
            return fill_integer(type, entry);
        case Kind::Enum:
        case Kind::Enum64:
            type.kind = Type::Kind::Integer;
            type.name = "enum " + std::string(types_->name(entry.record.name));
            type.size = std::min<uint32_t>(entry.record.type, 8);
            type.is_signed = entry.record.flag();
            return name_constants(type, number);
        case Kind::Float:
            type.kind = Type::Kind::Float;
            type.name = types_->name(entry.record.name);
            type.size = entry.record.type;
            return;
        case Kind::Pointer:
            type.kind = Type::Kind::Pointer;
            type.size = 8;
            type.is_user = peel(entry.record.type).is_user;
            type.target = make(entry.record.type, layer + 1);
            type.name = type.target->name + (type.target->name.ends_with('*') ? "*" : " *");
            if (type.target->kind == Type::Kind::Void)
                type.target = nullptr;
            return;
        case Kind::Array:
            return fill_array(type, entry, layer);
        case Kind::Struct:
        case Kind::Union:
            return fill_structure(type, entry, number);
        case Kind::Forward:
            type.kind = Type::Kind::Struct;
            type.name = "struct " + std::string(types_->name(entry.record.name));
            return;
        default:  // functions
            return;
        }
    }

    void name_constants(Type &type, uint32_t number)
    {
        type.constant_name = [types = types_, number](int64_t value) {
            std::string name;
            Maker(types).each_constant(number, [&](std::string_view constant, int64_t its_value) {
                if (its_value == value)
                    name = constant;
                return name.empty();
            });
            return name;
        };
        type.constant_value = [types = types_, number](std::string_view name) {
            std::optional<int64_t> value;
            Maker(types).each_constant(number, [&](std::string_view constant, int64_t its_value) {
                if (constant == name)
                    value = its_value;
                return !value;
            });
            return value;
        };
    }

    // Calls visit(name, value) for the constants of an enumeration, until it returns false.
    template <class Visit>
    void each_constant(uint32_t enumeration, Visit visit)
    {
        auto entry = types_->at(enumeration);
        if (!entry)
            return;
        bool is_wide = entry->record.kind() == Kind::Enum64, is_signed = entry->record.flag();
        size_t bytes = is_wide ? sizeof(Constant64Tail) : sizeof(ConstantTail);
        for (uint32_t i = 0; i < entry->record.members() && i < max_members; i++) {
            auto narrow = entry->tail.read<ConstantTail>(i * bytes);
            auto wide = is_wide ? entry->tail.read<Constant64Tail>(i * bytes) : std::nullopt;
            if (!narrow || (is_wide && !wide))
                return;
            int64_t value = is_signed ? static_cast<int32_t>(narrow->value)
                                      : static_cast<int64_t>(narrow->value);
            if (wide)
                value = static_cast<int64_t>(uint64_t{wide->high} << 32 | wide->low);
            if (!visit(types_->name(narrow->name), value))
                return;
        }
    }

    void fill_integer(Type &type, const Types::Entry &entry)
    {
        constexpr uint32_t is_signed = 1 << 24;
        type.size = entry.record.type;
        type.name = types_->name(entry.record.name);
        type.kind = type.size <= 8 ? Type::Kind::Integer : Type::Kind::Struct;  // __int128
        type.is_signed = entry.tail.read<uint32_t>(0).value_or(0) & is_signed;
        type.is_char = type.size == 1 && type.name.ends_with("char");
    }

    void fill_array(Type &type, const Types::Entry &entry, int layer)
    {
        auto array = entry.tail.read<ArrayTail>(0).value_or(ArrayTail{});
        type.kind = Type::Kind::Array;
        type.target = make(array.element, layer + 1);
        type.name = type.target->name + "[]";
        if (__builtin_mul_overflow(type.target->size, uint64_t(array.count), &type.size))
            type.size = 0;
    }

    void fill_structure(Type &type, const Types::Entry &entry, uint32_t number)
    {
        const char *tag = entry.record.kind() == Kind::Union ? "union " : "struct ";
        type.kind = Type::Kind::Struct;
        type.name = tag + std::string(types_->name(entry.record.name));
        type.size = entry.record.type;
        type.find_member = [types = types_, number](std::string_view name) {
            return Maker(types).find_member(number, name);
        };
        type.member_names = [types = types_, number] { return Maker(types).member_names(number); };
    }

    // Calls visit(member, its first bit in the structure, bits of a bit-field or 0) for the named
    // members, then for the members inside anonymous ones, until visit() returns false.
    template <class Visit>
    bool each_member(uint32_t structure, Visit visit, uint64_t first_bit = 0, int nesting = 0)
    {
        auto entry = types_->at(structure);
        if (!entry || nesting > max_nesting)
            return true;
        std::vector<std::pair<uint32_t, uint64_t>> unnamed;
        for (uint32_t i = 0; i < entry->record.members(); i++) {
            auto member = entry->tail.read<MemberTail>(i * sizeof(MemberTail));
            if (!member || ++seen_ > max_members)
                return false;
            bool has_bits = entry->record.flag();
            uint64_t at = first_bit + (has_bits ? member->offset & 0xffffff : member->offset);
            if (!types_->name(member->name).empty()) {
                if (!visit(*member, at, has_bits ? member->offset >> 24 : 0))
                    return false;
                continue;
            }
            Peeled inner = peel(member->type);
            if (inner.entry && (inner.entry->record.kind() == Kind::Struct ||
                                inner.entry->record.kind() == Kind::Union))
                unnamed.emplace_back(inner.number, at);
        }
        for (auto [number, at] : unnamed) {
            if (!each_member(number, visit, at, nesting + 1))
                return false;
        }
        return true;
    }

    // Sets the position of a member that may be a bit-field, as C code reads it: `offset` is that
    // of an aligned value of the member's type that contains all bits of the field, and
    // `bit_offset` is the field's first bit in this value. Returns false if no single such value
    // contains the field (in packed structures).
    static bool set_bits(types::Member &member, uint64_t first, uint32_t bits)
    {
        if (bits == 0)
            return first % 8 == 0;
        uint64_t unit = member.type->size * 8;
        if (unit == 0 || first % unit + bits > unit)
            return false;
        member.offset = first / unit * member.type->size;
        member.bit_offset = first % unit;
        member.bit_size = bits;
        return true;
    }

    std::shared_ptr<const Types> types_;
    size_t seen_ = 0;
};

std::shared_ptr<const Types> Types::read(File file, std::shared_ptr<const Types> base)
{
    std::shared_ptr<Types> types(new Types(std::move(file)));
    types->base_ = std::move(base);
    return types->index() ? types : nullptr;
}

bool Types::index()
{
    auto found = sections(file_.bytes());
    if (!found)
        return false;
    sections_ = *found;
    if (base_) {
        first_ = base_->first_ + base_->offsets_.size();
        first_string_ = base_->first_string_ + base_->sections_.strings.size();
    }
    each_record(sections_.types, first_, [this](uint32_t, const Record &, uint64_t offset) {
        offsets_.push_back(offset);
        return true;
    });
    return true;
}

std::optional<Types::Entry> Types::at(uint32_t number) const
{
    if (number < first_)
        return base_ ? base_->at(number) : std::nullopt;
    if (number - first_ >= offsets_.size())
        return std::nullopt;
    uint64_t offset = offsets_[number - first_];
    Entry entry = {sections_.types.read<Record>(offset).value_or(Record{}), {}};
    entry.tail =
        sections_.types.slice(offset + sizeof(Record), tail_bytes(entry.record).value_or(0))
            .value_or(Bytes());
    return entry;
}

std::string_view Types::name(uint32_t offset) const
{
    if (offset < first_string_)
        return base_->name(offset);
    return sections_.strings.cstring(offset - first_string_).value_or("");
}

template <class IsWanted>
std::optional<uint32_t> Types::find(IsWanted is_wanted) const
{
    for (size_t i = 0; i < offsets_.size(); i++) {
        auto record = sections_.types.read<Record>(offsets_[i]);
        if (record && is_wanted(*record))
            return first_ + i;
    }
    return base_ ? base_->find(is_wanted) : std::nullopt;
}

std::optional<types::FunctionInfo> Types::find_function(std::string_view wanted) const
{
    auto number = find([&](const Record &record) {
        return record.kind() == Kind::Function && name(record.name) == wanted;
    });
    auto function = number ? at(*number) : std::nullopt;
    auto prototype = function ? at(function->record.type) : std::nullopt;
    if (!prototype || prototype->record.kind() != Kind::Prototype)
        return std::nullopt;
    Maker maker(shared_from_this());
    auto info = maker.function(*prototype);
    maker.set_result(info, prototype->record.type);
    return info;
}

types::TypeRef Types::find_type(std::string_view wanted) const
{
    size_t space = wanted.find(' ');
    std::string_view tag = space == wanted.npos ? "" : wanted.substr(0, space);
    std::string_view rest = space == wanted.npos ? wanted : wanted.substr(space + 1);
    auto is_meant = [&](Kind kind) {
        switch (kind) {
        case Kind::Struct:
            return tag.empty() || tag == "struct";
        case Kind::Union:
            return tag.empty() || tag == "union";
        case Kind::Enum:
        case Kind::Enum64:
            return tag.empty() || tag == "enum";
        case Kind::Typedef:
        case Kind::Int:
            return tag.empty();
        default:
            return false;
        }
    };
    auto number = find(
        [&](const Record &record) { return is_meant(record.kind()) && name(record.name) == rest; });
    return number && !rest.empty() ? Maker(shared_from_this()).make(*number) : nullptr;
}

}  // namespace uscope::btf
