// Operands of typed and untyped values.
#pragma once

#include "abi/operand.h"
#include "types/type.h"

namespace uscope::resolve {

// A value of unknown type: a whole register.
types::TypeRef untyped();

// Sets the size of an operand that holds a value of this type: for an integer, only its bytes of
// the register.
void set_size(abi::Operand &operand, const types::Type &type);

}  // namespace uscope::resolve
