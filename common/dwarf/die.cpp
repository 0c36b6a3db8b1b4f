// Reads attributes with the functions of libdw.
#include "dwarf/die.h"

#include <cstdlib>

namespace uscope::dwarf {

namespace {
constexpr int max_layers = 64;  // typedefs and qualifiers around one type
}

std::string_view name_of(Dwarf_Die &die)
{
    const char *name = dwarf_diename(&die);
    return name ? name : "";
}

std::optional<uint64_t> number_of(Dwarf_Die &die, unsigned attribute)
{
    Dwarf_Attribute attr;
    Dwarf_Word value;
    if (!dwarf_attr(&die, attribute, &attr) || dwarf_formudata(&attr, &value) != 0)
        return std::nullopt;
    return value;
}

bool flag_of(Dwarf_Die &die, unsigned attribute)
{
    Dwarf_Attribute attr;
    bool value = false;
    return dwarf_attr(&die, attribute, &attr) && dwarf_formflag(&attr, &value) == 0 && value;
}

std::optional<Dwarf_Die> reference(Dwarf_Die &die, unsigned attribute)
{
    Dwarf_Attribute attr;
    Dwarf_Die result;
    bool found = attribute == DW_AT_type ? dwarf_attr_integrate(&die, attribute, &attr)
                                         : dwarf_attr(&die, attribute, &attr);
    if (!found || !dwarf_formref_die(&attr, &result))
        return std::nullopt;
    return result;
}

std::optional<Dwarf_Die> peeled(std::optional<Dwarf_Die> type)
{
    for (int layer = 0; type && layer < max_layers; layer++) {
        switch (dwarf_tag(&*type)) {
        case DW_TAG_typedef:
        case DW_TAG_const_type:
        case DW_TAG_volatile_type:
        case DW_TAG_restrict_type:
        case DW_TAG_atomic_type:
        case DW_TAG_immutable_type:
        case DW_TAG_packed_type:
        case DW_TAG_shared_type:
        case DW_TAG_template_alias:
            type = reference(*type, DW_AT_type);
            break;
        default:
            // A declaration may refer to its definition in a type unit.
            if (auto body = reference(*type, DW_AT_signature))
                return body;
            return type;
        }
    }
    return std::nullopt;
}

uint64_t size_of(Dwarf_Die &type)
{
    // A pointer to a member function consists of a pointer and of an adjustment of `this`.
    if (dwarf_tag(&type) == DW_TAG_ptr_to_member_type) {
        auto target = peeled(reference(type, DW_AT_type));
        return target && dwarf_tag(&*target) == DW_TAG_subroutine_type ? 16 : 8;
    }
    Dwarf_Word size;
    return dwarf_aggregate_size(&type, &size) == 0 ? size : 0;
}

bool is_structure(Dwarf_Die &die)
{
    int tag = dwarf_tag(&die);
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

std::string qualified_name(Dwarf_Die &die)
{
    std::string name(name_of(die));
    Dwarf_Die inner = die;
    if (auto declaration = reference(die, DW_AT_specification))
        inner = *declaration;
    Dwarf_Die *scopes = nullptr;
    int count = dwarf_getscopes_die(&inner, &scopes);
    for (int i = 1; i < count; i++) {
        int tag = dwarf_tag(&scopes[i]);
        if (tag == DW_TAG_namespace || is_structure(scopes[i])) {
            std::string_view scope = name_of(scopes[i]);
            name = (scope.empty() ? "(anonymous namespace)" : std::string(scope)) + "::" + name;
        }
    }
    free(scopes);
    return name;
}

std::optional<uint64_t> member_offset(Dwarf_Die &member)
{
    Dwarf_Attribute attr;
    if (!dwarf_attr(&member, DW_AT_data_member_location, &attr))
        return 0;  // a member of a union
    Dwarf_Word offset;
    if (dwarf_formudata(&attr, &offset) == 0)
        return offset;
    Dwarf_Op *operations;  // DWARF 2: an expression that adds the offset to the structure's address
    size_t count;
    if (dwarf_getlocation(&attr, &operations, &count) == 0 && count == 1 &&
        operations[0].atom == DW_OP_plus_uconst)
        return operations[0].number;
    return std::nullopt;
}

// option { variant_part { variant { member "None" } variant { member "Some" { member "__0" } } } }
std::optional<Dwarf_Die> content_of_option(Dwarf_Die &option)
{
    std::optional<Dwarf_Die> content;
    auto find_value = [&](Dwarf_Die &member) {
        if (dwarf_tag(&member) == DW_TAG_member && name_of(member) == "__0")
            content = peeled(reference(member, DW_AT_type));
        return !content;
    };
    auto find_some = [&](Dwarf_Die &member) {
        auto some = dwarf_tag(&member) == DW_TAG_member && name_of(member) == "Some"
                        ? peeled(reference(member, DW_AT_type))
                        : std::nullopt;
        return !some || each_child(*some, find_value);
    };
    auto find_variant = [&](Dwarf_Die &variant) {
        return dwarf_tag(&variant) != DW_TAG_variant || each_child(variant, find_some);
    };
    if (name_of(option).starts_with("Option<"))
        each_child(option, [&](Dwarf_Die &part) {
            return dwarf_tag(&part) != DW_TAG_variant_part || each_child(part, find_variant);
        });
    return content;
}

}  // namespace uscope::dwarf
