// The types of values in registers, and the sizes of their operands.
#pragma once

#include "abi/operand.h"
#include "types/type.h"

namespace uscope::resolve {

// Returns the type of a value whose C type is unknown: a whole register.
types::TypeRef untyped();

// Sets the size and the signedness of an operand that holds a value of this type. An integer has
// the size of its type, because the other bytes of its register mean nothing; all other values have
// 8 bytes.
void set_size(abi::Operand &operand, const types::Type &type);

}  // namespace uscope::resolve
