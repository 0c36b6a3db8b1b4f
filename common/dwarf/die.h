// Reads attributes of DWARF entries (DIEs). A damaged file cannot make these functions loop
// forever.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <dwarf.h>
#include <elfutils/libdw.h>

namespace uscope::dwarf {

std::string_view name_of(Dwarf_Die &die);  // "" if it has no name
std::optional<uint64_t> number_of(Dwarf_Die &die, unsigned attribute);
bool flag_of(Dwarf_Die &die, unsigned attribute);  // false if it has no such attribute
// Returns the entry to which an attribute refers; nullopt if `die` does not have the attribute.
// For DW_AT_type, also searches the abstract origin and the specification of `die`.
std::optional<Dwarf_Die> reference(Dwarf_Die &die, unsigned attribute);
// Returns the type without its typedefs and qualifiers (const, volatile …); nullopt for void.
std::optional<Dwarf_Die> peeled(std::optional<Dwarf_Die> type);
uint64_t size_of(Dwarf_Die &type);  // bytes; 0: unknown
bool is_structure(Dwarf_Die &die);  // a structure, class or union
// Returns the name with the namespaces and classes around it: "ns::Thing".
std::string qualified_name(Dwarf_Die &die);
// Returns the offset of a member or a base class in its structure, in bytes; nullopt if only the
// running program knows it (virtual base classes).
std::optional<uint64_t> member_offset(Dwarf_Die &member);

// Calls visit(child) for each child, until visit() returns false. Returns false if visit() did.
// Stops if a sibling's offset in the file is not greater than the previous one's: in a damaged
// file, the siblings might form a cycle.
template <class Visit>
bool each_child(Dwarf_Die &die, Visit visit)
{
    Dwarf_Die child;
    if (dwarf_child(&die, &child) != 0)
        return true;
    while (true) {
        if (!visit(child))
            return false;
        Dwarf_Die next;
        if (dwarf_siblingof(&child, &next) != 0 ||
            dwarf_dieoffset(&next) <= dwarf_dieoffset(&child))
            return true;
        child = next;
    }
}

// Returns the type of the value in the variant Some of an Option of Rust; nullopt for another type.
std::optional<Dwarf_Die> content_of_option(Dwarf_Die &option);

}  // namespace uscope::dwarf
