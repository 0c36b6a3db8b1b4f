// The conventions by which Go passes values: dwarf/go_calling.h says where one is.
#pragma once

#include <cstdint>

#include "types/function.h"

namespace uscope::dwarf {

using types::GoPlace;

enum class GoConvention : uint8_t {
    Stack,      // ABI0: all of Go before 1.17, and what is called by assembly
    Registers,  // ABIInternal on x86-64
};

}  // namespace uscope::dwarf
