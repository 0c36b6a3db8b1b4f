// Compares operands: are their values in the same register, address or constant?
#include "abi/operand.h"

namespace uscope::abi {

namespace {

// Does not compare Register::size, because nothing reads that many bytes: a value has the size of
// its operand, and an address has 8 bytes.
bool same_register(const Register &a, const Register &b)
{
    return a.pt_regs_offset == b.pt_regs_offset && a.shift == b.shift;
}

}  // namespace

bool Operand::operator==(const Operand &other) const
{
    if (kind != other.kind)
        return false;
    if (kind == Kind::Unsupported)
        return why == other.why;
    if (size != other.size || is_signed != other.is_signed || is_float != other.is_float)
        return false;
    switch (kind) {
    case Kind::Constant:
        return value == other.value;
    case Kind::Register:
        return same_register(base, other.base);
    default:
        break;
    }
    if (value != other.value || has_base != other.has_base || has_index != other.has_index)
        return false;
    if (has_base && !same_register(base, other.base))
        return false;
    return !has_index || (same_register(index, other.index) && scale == other.scale);
}

}  // namespace uscope::abi
