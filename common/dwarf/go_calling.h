// Where Go passes arguments and results.
#pragma once

#include <optional>
#include <vector>

#include "dwarf/die.h"
#include "dwarf/go_place.h"

namespace uscope::dwarf {

struct GoPlaces {
    std::vector<GoPlace> parameters, results;
};

// Of parameters and results of these types (nothing: a type that could not be found), in order; a
// method's receiver is the first parameter.
using Types = std::vector<std::optional<Dwarf_Die>>;
GoPlaces place_go(GoConvention convention, const Types &parameters, const Types &results);

// The slot of a register by its DWARF number, or 0.
unsigned go_slot_of_register(unsigned dwarf_register);

}  // namespace uscope::dwarf
