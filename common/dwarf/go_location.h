// Names the calling conventions of Go. dwarf/go_calling.h implements them.
#pragma once

#include <cstdint>

#include "types/function.h"

namespace uscope::dwarf {

using types::GoLocation;

enum class GoConvention : uint8_t {
    Stack,      // ABI0: all functions before Go 1.17, later those in assembly
    Registers,  // ABIInternal on x86-64: Go 1.17 and later
};

}  // namespace uscope::dwarf
