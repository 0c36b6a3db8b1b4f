// Small reads of a DWARF entry (DIE), each bounded whatever the file says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <dwarf.h>
#include <elfutils/libdw.h>

namespace uscope::dwarf {

std::string_view name_of(Dwarf_Die &die);  // "" if it has none
std::optional<uint64_t> number_of(Dwarf_Die &die, unsigned attribute);
bool flag_of(Dwarf_Die &die, unsigned attribute);
// The entry that an attribute refers to; of DW_AT_type also through abstract origin and
// specification.
std::optional<Dwarf_Die> reference(Dwarf_Die &die, unsigned attribute);
// The type without typedefs, const and their like; nothing for void.
std::optional<Dwarf_Die> peeled(std::optional<Dwarf_Die> type);
uint64_t size_of(Dwarf_Die &type);  // bytes; 0 when not known
bool is_structure(Dwarf_Die &die);  // or class, or union
// "ns::Thing": the name within its namespaces and classes.
std::string qualified_name(Dwarf_Die &die);
// Where a member or a base lies in its structure, bytes; nothing when that is not constant (virtual
// bases).
std::optional<uint64_t> member_offset(Dwarf_Die &member);

// Calls visit(child) until it returns false; false then. Siblings must lie one after the other,
// which a damaged file cannot make endless.
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
