// Implements the rules of C, C++ and Rust for passing structures.
#include "dwarf/passing.h"

namespace uscope::dwarf {

namespace {

using Class = Passing::Class;

constexpr int max_passed_nesting = 16;
constexpr size_t max_passed_members = 10000;

bool is_float_encoding(uint64_t encoding)
{
    return encoding == DW_ATE_float || encoding == DW_ATE_complex_float ||
           encoding == DW_ATE_imaginary_float || encoding == DW_ATE_decimal_float;
}

bool is_long_double(Dwarf_Die &base)
{
    return name_of(base).find("long double") != std::string_view::npos;
}

// Finds out what kind of register each eightbyte (8 bytes) of a value of up to 16 bytes needs.
// add() returns false if the value must be in memory.
class Classifier {
  public:
    explicit Classifier(Passing &passing) : passing_(passing) {}

    bool add(std::optional<Dwarf_Die> type, uint64_t offset, int nesting = 0)
    {
        auto base = peeled(type);
        if (!base || nesting > max_passed_nesting || ++seen_ > max_passed_members)
            return false;
        uint64_t size = size_of(*base);
        int tag = dwarf_tag(&*base);
        if (is_structure(*base))
            return add_members(*base, offset, nesting);
        if (tag == DW_TAG_array_type && !flag_of(*base, DW_AT_GNU_vector))
            return add_elements(*base, offset, size, nesting);
        if (tag == DW_TAG_base_type && size == 0)
            return true;
        if (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
            tag == DW_TAG_rvalue_reference_type || tag == DW_TAG_unspecified_type)
            size = 8;
        bool is_float = tag == DW_TAG_array_type ||
                        (tag == DW_TAG_base_type &&
                         is_float_encoding(number_of(*base, DW_AT_encoding).value_or(0)));
        if (is_float && is_long_double(*base))
            return false;
        bool is_pair = is_float || tag == DW_TAG_ptr_to_member_type;
        uint64_t alignment = std::min<uint64_t>(size, is_pair ? 8 : 16);
        if (alignment == 0 || offset % alignment != 0)
            return false;
        return set(is_float ? Class::Vector : Class::Integer, offset, size);
    }

  private:
    bool set(Class which, uint64_t offset, uint64_t size)
    {
        if (size > max_by_value || offset > max_by_value - size)
            return false;
        for (uint64_t i = offset / 8; i * 8 < offset + size; i++) {
            Passing::Class &eightbyte = passing_.parts[i];
            eightbyte = eightbyte == Class::Integer ? Class::Integer : which;
        }
        return true;
    }

    bool add_members(Dwarf_Die &structure, uint64_t offset, int nesting)
    {
        return each_child(structure, [&](Dwarf_Die &child) {
            int tag = dwarf_tag(&child);
            if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
                flag_of(child, DW_AT_external))
                return true;
            if (number_of(child, DW_AT_bit_size)) {
                uint64_t bit = number_of(child, DW_AT_data_bit_offset)
                                   .value_or(member_offset(child).value_or(0) * 8);
                return set(Class::Integer, offset + bit / 8, 1);
            }
            auto at = member_offset(child);
            return at && *at <= max_by_value &&
                   add(reference(child, DW_AT_type), offset + *at, nesting + 1);
        });
    }

    bool add_elements(Dwarf_Die &array, uint64_t offset, uint64_t size, int nesting)
    {
        auto element = peeled(reference(array, DW_AT_type));
        uint64_t step = element ? size_of(*element) : 0;
        if (step == 0 || size > max_by_value)
            return size == 0;
        for (uint64_t at = 0; at < size; at += step)
            if (!add(element, offset + at, nesting + 1))
                return false;
        return true;
    }

    Passing &passing_;
    size_t seen_ = 0;
};

// Can C++ copy an object byte by byte, without calling a constructor or destructor? Clang's DWARF
// has an attribute for this. With GCC's DWARF, the answer is no if the class, a base class or a
// member has a copy or move constructor, a destructor, or a virtual function.
class Triviality {
  public:
    bool is_trivial(Dwarf_Die &structure, int nesting = 0)
    {
        auto convention = number_of(structure, DW_AT_calling_convention);
        if (convention == DW_CC_pass_by_value || convention == DW_CC_pass_by_reference)
            return convention == DW_CC_pass_by_value;
        std::string_view name = name_of(structure);
        return each_child(structure, [&](Dwarf_Die &child) {
            if (++seen_ > max_passed_members)
                return true;
            switch (dwarf_tag(&child)) {
            case DW_TAG_subprogram:
                return !is_special(child, name);
            case DW_TAG_member:
                if (name_of(child).starts_with("_vptr"))
                    return false;
                [[fallthrough]];
            case DW_TAG_inheritance: {
                auto type = peeled(reference(child, DW_AT_type));
                return !type || !is_structure(*type) || flag_of(child, DW_AT_external) ||
                       nesting > max_passed_nesting || is_trivial(*type, nesting + 1);
            }
            default:
                return true;
            }
        });
    }

  private:
    // Is it a copy or move constructor or a destructor, written in the source (not generated by the
    // compiler, defaulted or deleted)?
    static bool is_special(Dwarf_Die &function, std::string_view structure)
    {
        std::string_view name = name_of(function), whole = structure;
        structure = structure.substr(0, structure.find('<'));
        if (flag_of(function, DW_AT_artificial) || number_of(function, DW_AT_defaulted) == 1 ||
            flag_of(function, DW_AT_deleted))
            return false;
        if (name.starts_with('~'))
            return true;
        if (name != structure)
            return false;
        int own = 0, others = 0;
        each_child(function, [&](Dwarf_Die &parameter) {
            if (dwarf_tag(&parameter) != DW_TAG_formal_parameter ||
                flag_of(parameter, DW_AT_artificial))
                return true;
            auto type = peeled(reference(parameter, DW_AT_type));
            bool is_reference = type && (dwarf_tag(&*type) == DW_TAG_reference_type ||
                                         dwarf_tag(&*type) == DW_TAG_rvalue_reference_type);
            auto target = is_reference ? peeled(reference(*type, DW_AT_type)) : std::nullopt;
            std::string_view referred = target ? name_of(*target) : "";
            (referred == whole ? own : others)++;
            return true;
        });
        return own == 1 && others == 0;
    }

    size_t seen_ = 0;
};

// Collects the scalars in a Rust structure. Rust passes a structure of one or two scalars as these
// scalars, another structure of up to 8 bytes as one integer, and one of more than 16 bytes as a
// pointer. It depends on the version of Rust how it passes a structure of 9 to 16 bytes with more
// than two scalars, or an enumeration with data.
class RustLeaves {
  public:
    explicit RustLeaves(Passing &passing) : passing_(passing) {}

    // Returns false if it is unknown how Rust passes the type.
    bool add(std::optional<Dwarf_Die> type, int nesting = 0)
    {
        auto base = peeled(type);
        if (!base || nesting > max_passed_nesting)
            return false;
        int tag = dwarf_tag(&*base);
        if (tag == DW_TAG_structure_type)
            return each_child(*base, [&](Dwarf_Die &child) {
                int kind = dwarf_tag(&child);
                if (kind == DW_TAG_member)
                    return ++seen_ <= max_passed_members &&
                           add(reference(child, DW_AT_type), nesting + 1);
                // If None takes no space, an Option is passed as what it holds.
                auto held = kind == DW_TAG_variant_part ? content_of_option(*base) : std::nullopt;
                return held ? size_of(*held) == size_of(*base) && add(held, nesting + 1)
                            : kind != DW_TAG_variant_part;
            });
        if (is_structure(*base) || tag == DW_TAG_array_type || size_of(*base) > 8)
            return false;
        bool is_float = tag == DW_TAG_base_type &&
                        is_float_encoding(number_of(*base, DW_AT_encoding).value_or(0));
        if (size_of(*base) > 0 && leaves_++ < 2)
            passing_.parts[leaves_ - 1] = is_float ? Class::Vector : Class::Integer;
        return true;
    }

    size_t count() const { return leaves_; }

  private:
    Passing &passing_;
    size_t leaves_ = 0, seen_ = 0;
};

Passing::Kind classify_rust(Passing &passing, Dwarf_Die &structure)
{
    if (passing.size == 0)
        return Passing::Kind::Registers;
    if (passing.size > max_by_value)
        return Passing::Kind::Reference;
    RustLeaves leaves(passing);
    if (!leaves.add(structure))
        return Passing::Kind::Unknown;
    if (leaves.count() <= 2)
        return Passing::Kind::Registers;
    passing.parts[0] = Class::Integer;
    passing.parts[1] = Class::None;
    return passing.size <= 8 ? Passing::Kind::Registers : Passing::Kind::Unknown;
}

}  // namespace

Passing classify(Convention convention, std::optional<Dwarf_Die> type)
{
    Passing passing;
    auto base = peeled(type);
    if (!base) {
        passing.kind = Passing::Kind::Unknown;
        return passing;
    }
    bool is_array = dwarf_tag(&*base) == DW_TAG_array_type;
    passing.is_structure = is_structure(*base) || (is_array && convention == Convention::Rust);
    passing.size = size_of(*base);
    passing.is_wide = !passing.is_structure && !is_array && passing.size == 16;
    if (passing.is_structure && convention == Convention::Rust)
        passing.kind = classify_rust(passing, *base);
    else if (passing.is_structure && !Triviality().is_trivial(*base))
        passing.kind = Passing::Kind::Reference;
    else if (passing.size > max_by_value || !Classifier(passing).add(base, 0))
        passing.kind = Passing::Kind::Memory;
    return passing;
}

}  // namespace uscope::dwarf
