// dwarf_getscopes() continues from an inlined function with the scopes of its definition; variables
// of the caller are wanted here, so this file walks down the tree of entries.
#include "dwarf/scopes.h"

namespace uscope::dwarf {
namespace {

constexpr size_t max_depth_of_scopes = 64;

bool has_code(int tag)
{
    return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
           tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

std::string_view source_of(Dwarf_Die &unit, std::optional<uint64_t> number)
{
    Dwarf_Files *files = nullptr;
    size_t count = 0;
    if (!number || dwarf_getsrcfiles(&unit, &files, &count) != 0 || *number >= count)
        return "";
    const char *path = dwarf_filesrc(files, *number, nullptr, nullptr);
    return path ? path : "";
}

// Is the line outside of the function that was inlined: at its call, in another file, or before it?
bool is_outside(Dwarf_Die &unit, Dwarf_Die &inlined, const LinePosition &at)
{
    bool is_call = number_of(inlined, DW_AT_call_line) == at.line &&
                   is_source(source_of(unit, number_of(inlined, DW_AT_call_file)), at.file);
    auto origin = reference(inlined, DW_AT_abstract_origin);
    if (is_call || !origin)
        return is_call;
    // A method's definition refers to its declaration in the class, which may be elsewhere.
    Dwarf_Die defined = *origin;
    if (!number_of(defined, DW_AT_decl_line))
        if (auto declared = reference(defined, DW_AT_specification))
            defined = *declared;
    std::string_view file = source_of(unit, number_of(defined, DW_AT_decl_file));
    if (file.empty())
        return false;
    return !is_source(file, at.file) || number_of(defined, DW_AT_decl_line).value_or(0) > at.line;
}

// An inlined function may have no instruction of its own left: then it only has a place.
bool is_around(Dwarf_Die &scope, uint64_t vaddr)
{
    if (dwarf_haspc(&scope, vaddr) == 1)
        return true;
    Dwarf_Addr start = 0;
    return dwarf_tag(&scope) == DW_TAG_inlined_subroutine &&
           (number_of(scope, DW_AT_entry_pc) == vaddr ||
            (dwarf_lowpc(&scope, &start) == 0 && start == vaddr));
}

bool find_scopes(Dwarf_Die &unit, Dwarf_Die scope, const LinePosition &at,
                 std::vector<Dwarf_Die> &found, size_t depth)
{
    bool is_found = false;
    each_child(scope, [&](Dwarf_Die &child) {
        int tag = dwarf_tag(&child);
        bool is_container = tag == DW_TAG_namespace || is_structure(child);
        if (depth > max_depth_of_scopes || (!has_code(tag) && !is_container))
            return true;
        if (has_code(tag) && (!is_around(child, at.vaddr) ||
                              (tag == DW_TAG_inlined_subroutine && is_outside(unit, child, at))))
            return true;
        if (!is_container)
            found.push_back(child);
        is_found = find_scopes(unit, child, at, found, depth + 1) || !is_container;
        return !is_found;
    });
    return is_found;
}

}  // namespace

bool is_source(std::string_view path, std::string_view name)
{
    return path.ends_with(name) &&
           (path.size() == name.size() || path[path.size() - name.size() - 1] == '/');
}

std::vector<Dwarf_Die> scopes_of(Dwarf_Die &unit, const LinePosition &at)
{
    std::vector<Dwarf_Die> found;
    find_scopes(unit, unit, at, found, 0);
    return found;
}

}  // namespace uscope::dwarf
