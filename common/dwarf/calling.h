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

struct Place {
    unsigned slot = 0;          // 1-based integer slot; 0: none, and
    std::string why = {};       // where it is instead
    bool by_reference = false;  // the slot holds a pointer to the value
};

// The places of parameters of these types (nothing: a type that could not be found), in order.
std::vector<Place> place_parameters(const CallingRules &rules, std::optional<Dwarf_Die> return_type,
                                    const std::vector<std::optional<Dwarf_Die>> &parameters);

// A value of this type is returned in memory, and the return register holds a pointer to it.
bool is_returned_in_memory(const CallingRules &rules, std::optional<Dwarf_Die> return_type);

// The slot of an integer argument register by its DWARF number, or 0.
unsigned slot_of_register(abi::Machine machine, unsigned dwarf_register);

}  // namespace uscope::dwarf
