#include "resolve/operand.h"

namespace uscope::resolve {

expr::TypeRef untyped()
{
    static const expr::TypeRef type = [] {
        auto made = std::make_shared<expr::Type>(*expr::integer_type(8, false));
        made->name = "register";
        made->is_register = true;
        return made;
    }();
    return type;
}

void set_size(abi::Operand &operand, const expr::Type &type)
{
    operand.size = 8;
    if (type.kind == expr::Type::Kind::Integer) {
        operand.size = type.size;
        operand.is_signed = type.is_signed;
    }
}

}  // namespace uscope::resolve
