// Operands of values whose types are known, and of those whose are not.
#pragma once

#include "abi/operand.h"
#include "types/type.h"

namespace uscope::resolve {

// A value of unknown type: a whole register.
types::TypeRef untyped();

// An operand that holds such a value: of an integer, only its bytes of the register.
void set_size(abi::Operand &operand, const types::Type &type);

}  // namespace uscope::resolve
