// Finds the variables and parameters that code can use at one instruction, and where they are then.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dwarf/dwarf.h"
#include "dwarf/scopes.h"
#include "types/type.h"

namespace uscope::dwarf {

struct LocalVariable {
    enum class Place : uint8_t {
        Register,  // `base`
        Memory,    // at the address in the register `base` + `number`
        AtCfa,     // in memory, `number` bytes from the start of the stack frame (the CFA)
        Static,    // at the address `number` in the file
        Constant,  // `number`
        Nowhere,   // `why`
    };
    std::string name;
    types::TypeRef type;  // the variable's own: a reference of C++ is a pointer
    Place place = Place::Nowhere;
    unsigned base = 0;  // a register by DWARF's number
    int64_t number = 0;
    std::string why = {};
};

// Returns the variable named `name` in the innermost scope of the line that has one; nullopt if
// there is none, or no debug information.
std::optional<LocalVariable> find_local(const Debug &debug, std::string_view name,
                                        const LinePosition &at);
// Returns the names of all variables in the scopes of the line, the innermost first.
std::vector<std::string> local_names(const Debug &debug, const LinePosition &at);

}  // namespace uscope::dwarf
