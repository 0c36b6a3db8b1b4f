// Where Go passes arguments and results.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dwarf/die.h"

namespace uscope::dwarf {

enum class GoConvention : uint8_t {
    Stack,      // ABI0: all of Go before 1.17, and what is called by assembly
    Registers,  // ABIInternal on x86-64
};

// Parts of a value, each in a register of its own, or all of it on the stack.
struct GoPlace {
    struct Part {
        uint64_t offset = 0;  // in the value, bytes
        unsigned slot = 0;    // as abi::go_register() counts; 0: a floating-point register
    };
    std::vector<Part> parts = {};
    std::optional<uint64_t> stack = {};  // bytes behind the return address
    bool is_known = true;
};

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
