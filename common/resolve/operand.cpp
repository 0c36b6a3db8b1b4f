// Chooses the type and size of values in registers.
#include "resolve/operand.h"

namespace uscope::resolve {

types::TypeRef untyped()
{
    static const types::TypeRef type = [] {
        auto made = std::make_shared<types::Type>(*types::integer_type(8, false));
        made->name = "register";
        made->is_register = true;
        return made;
    }();
    return type;
}

void set_size(abi::Operand &operand, const types::Type &type)
{
    operand.size = 8;
    if (type.kind == types::Type::Kind::Integer) {
        operand.size = type.size;
        operand.is_signed = type.is_signed;
    }
}

}  // namespace uscope::resolve
