// The conventions by which Go passes values. dwarf/go_calling.h applies them.
#pragma once

#include <cstdint>

#include "types/function.h"

namespace uscope::dwarf {

using types::GoLocation;

enum class GoConvention : uint8_t {
    Stack,      // ABI0: all of Go before 1.17, and functions that assembly calls
    Registers,  // ABIInternal on x86-64
};

}  // namespace uscope::dwarf
