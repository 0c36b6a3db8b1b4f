// Reads attributes of DWARF entries (DIEs), each bounded whatever the file contains.
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
bool flag_of(Dwarf_Die &die, unsigned attribute);
// Returns the entry that an attribute refers to; for DW_AT_type, also through abstract origin and
// specification.
std::optional<Dwarf_Die> reference(Dwarf_Die &die, unsigned attribute);
// Removes typedefs, const and the like from a type; returns nullopt for void.
std::optional<Dwarf_Die> peeled(std::optional<Dwarf_Die> type);
uint64_t size_of(Dwarf_Die &type);  // bytes; 0: unknown
bool is_structure(Dwarf_Die &die);  // a structure, class or union
// Returns the name with its namespaces and classes: "ns::Thing".
std::string qualified_name(Dwarf_Die &die);
// Returns the offset of a member or a base class in its structure, in bytes; nullopt if it is not
// constant (virtual bases).
std::optional<uint64_t> member_offset(Dwarf_Die &member);

// Calls visit(child) until it returns false, and then returns false. Stops at a sibling that does
// not come after the last one: a damaged file cannot make this loop endless.
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

}  // namespace uscope::dwarf
