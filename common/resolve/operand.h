// The types of values in registers, and the sizes of their operands.
#pragma once

#include "abi/operand.h"
#include "types/type.h"

namespace uscope::resolve {

// Returns the type of a value whose C type is unknown: a whole register.
types::TypeRef untyped();

// Sets the size and the sign of an operand that holds a value of this type: for an integer those of
// the type, because the other bytes of its register mean nothing; for others, 8 bytes.
void set_size(abi::Operand &operand, const types::Type &type);

}  // namespace uscope::resolve
