// Computes from the types of a C, C++ or Rust function where its arguments and its result are. The
// integer registers for arguments, followed by the 8-byte words for arguments on the stack, are
// numbered *slots*: the `n` of abi::argument_register() and abi::argument_stack_offset().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "abi/registers.h"
#include "dwarf/passing.h"
#include "types/function.h"

namespace uscope::dwarf {

struct CallingRules {
    abi::Machine machine = abi::host_machine;
    Convention convention = Convention::C;
};

struct ArgumentSlot {
    // From 1. For a result, 1 is the return register. 0: in no slot; `why` says where it is.
    unsigned slot = 0;
    std::string why = {};
    bool by_reference = false;                    // the slot holds a pointer to the value
    std::vector<types::RegisterPart> parts = {};  // as in types::Parameter
};

struct ArgumentSlots {
    std::vector<ArgumentSlot> parameters;
    // The highest slot with an argument; nullopt if the location of some argument is unknown.
    std::optional<unsigned> last_slot;
};

// Returns the slots of all parameters, in order, from their types. A nullopt in `parameters` is a
// type that could not be found; if `return_type` is nullopt, the function returns void.
ArgumentSlots parameter_slots(const CallingRules &rules, std::optional<Dwarf_Die> return_type,
                              const std::vector<std::optional<Dwarf_Die>> &parameters);

// Returns where a function leaves a result of this type. If the result has by_reference, the value
// is in memory, and the return register points to it.
ArgumentSlot result_slot(const CallingRules &rules, Dwarf_Die return_type);

// Returns the slot of the register with this DWARF number; 0 if it is not one for integer
// arguments.
unsigned slot_of_register(abi::Machine machine, unsigned dwarf_register);

}  // namespace uscope::dwarf
