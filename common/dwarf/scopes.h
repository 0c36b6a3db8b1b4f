// Finds the functions and blocks to which the code of a source line belongs.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "dwarf/die.h"

namespace uscope::dwarf {

struct LinePosition {
    uint64_t vaddr;         // of an instruction
    std::string_view file;  // the source file, or the end of its path
    unsigned line;
};

// Is `name` the path, or its end?
bool is_source(std::string_view path, std::string_view name);

// Returns the function that contains the instruction, the functions that were inlined there, and
// the blocks in them, the outermost first. Where code of a line and of a function that it calls
// begins at one instruction, what was inlined for the call is left out. `unit`: with the entries of
// functions (split_or_itself()).
std::vector<Dwarf_Die> scopes_of(Dwarf_Die &unit, const LinePosition &at);

}  // namespace uscope::dwarf
