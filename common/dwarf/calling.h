// Computes which argument of a function is in which integer slot.
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

struct ArgumentSlot {
    // 1-based integer slot; for a result, 1 is the return register. 0: elsewhere, see `why`.
    unsigned slot = 0;
    std::string why = {};
    bool by_reference = false;  // the slot holds a pointer to the value
};

struct ArgumentSlots {
    std::vector<ArgumentSlot> parameters;
    // The highest slot in use; nullopt if a type is unknown.
    std::optional<unsigned> last_slot;
};

// Returns the slots of parameters of these types (nullopt: a type that could not be found), in
// order.
ArgumentSlots parameter_slots(const CallingRules &rules, std::optional<Dwarf_Die> return_type,
                              const std::vector<std::optional<Dwarf_Die>> &parameters);

// Returns where a value of this type is returned. `by_reference`: in memory, to which the return
// register points.
ArgumentSlot result_slot(const CallingRules &rules, Dwarf_Die return_type);

// Returns the slot of an integer argument register by its DWARF number, or 0.
unsigned slot_of_register(abi::Machine machine, unsigned dwarf_register);

}  // namespace uscope::dwarf
