// Which argument of a function is in which integer slot.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "abi/registers.h"
#include "dwarf/passing.h"

namespace uscope::dwarf {

struct CallingRules {
    abi::Machine machine = abi::host_machine;
    Convention convention = Convention::C;
};

struct ArgumentPlace {
    unsigned slot = 0;     // 1-based integer slot, of a result 1: the return register; 0: none, and
    std::string why = {};  // where it is instead
    bool by_reference = false;  // the slot holds a pointer to the value
};

struct ArgumentPlaces {
    std::vector<ArgumentPlace> parameters;
    // The highest slot that is used; nothing when a type is not known or not understood.
    std::optional<unsigned> last_slot;
};

// The places of parameters of these types (nothing: a type that could not be found), in order.
ArgumentPlaces place_parameters(const CallingRules &rules, std::optional<Dwarf_Die> return_type,
                                const std::vector<std::optional<Dwarf_Die>> &parameters);

// Where a value of this type is returned. By reference: in memory, to which the return register
// points.
ArgumentPlace place_result(const CallingRules &rules, Dwarf_Die return_type);

// The slot of an integer argument register by its DWARF number, or 0.
unsigned slot_of_register(abi::Machine machine, unsigned dwarf_register);

}  // namespace uscope::dwarf
