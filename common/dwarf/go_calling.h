// Computes where a Go function gets its arguments and leaves its results.
#pragma once

#include <optional>
#include <vector>

#include "dwarf/die.h"
#include "dwarf/go_location.h"

namespace uscope::dwarf {

struct GoLocations {
    std::vector<GoLocation> parameters, results;
};

// Returns the locations of parameters and results, in order, from their types; nullopt is a type
// that could not be found. The receiver of a method is its first parameter.
using Types = std::vector<std::optional<Dwarf_Die>>;
GoLocations locate_go(GoConvention convention, const Types &parameters, const Types &results);

// Returns the `n` of abi::go_register() for the register with this DWARF number; 0 if it is not one
// of those.
unsigned go_slot_of_register(unsigned dwarf_register);

}  // namespace uscope::dwarf
