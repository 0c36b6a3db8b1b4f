// Operands of values whose types are known, and of those whose are not.
#pragma once

#include "abi/operand.h"
#include "expr/type.h"

namespace uscope::resolve {

// A value of unknown type: a whole register.
expr::TypeRef untyped();

// An operand that holds such a value: of an integer, only its bytes of the register.
void set_size(abi::Operand &operand, const expr::Type &type);

}  // namespace uscope::resolve
