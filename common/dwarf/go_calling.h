// Computes where Go passes arguments and results.
#pragma once

#include <optional>
#include <vector>

#include "dwarf/die.h"
#include "dwarf/go_location.h"

namespace uscope::dwarf {

struct GoLocations {
    std::vector<GoLocation> parameters, results;
};

// Places parameters and results of these types (nullopt: a type that could not be found), in order.
// A method's receiver is the first parameter.
using Types = std::vector<std::optional<Dwarf_Die>>;
GoLocations locate_go(GoConvention convention, const Types &parameters, const Types &results);

// Returns the slot of a register by its DWARF number, or 0.
unsigned go_slot_of_register(unsigned dwarf_register);

}  // namespace uscope::dwarf
