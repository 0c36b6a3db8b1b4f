// Generates code for the operators on numbers. Emulates signed division, which BPF lacks until ISA
// v4, and arithmetic on narrower types: computes with 8 bytes, then cuts the result to its type.
#include <cerrno>

#include "expr/codegen.h"

namespace uscope::expr {
namespace {

uint8_t alu_of(Op op, bool is_signed)
{
    switch (op) {
    case Op::Add:
        return BPF_ADD;
    case Op::Subtract:
        return BPF_SUB;
    case Op::Multiply:
        return BPF_MUL;
    case Op::Divide:
        return BPF_DIV;
    case Op::Modulo:
        return BPF_MOD;
    case Op::ShiftLeft:
        return BPF_LSH;
    case Op::ShiftRight:
        return is_signed ? BPF_ARSH : BPF_RSH;
    case Op::And:
        return BPF_AND;
    case Op::Or:
        return BPF_OR;
    default:
        return BPF_XOR;
    }
}

// Can a 64-bit operation on values of `type`, extended to 64 bits, have a result outside of the
// type's range?
bool may_overflow(Op op, const types::Type &type)
{
    return op == Op::Add || op == Op::Subtract || op == Op::Multiply || op == Op::ShiftLeft ||
           op == Op::Negate || (op == Op::Complement && !type.is_signed) ||
           (op == Op::Divide && type.is_signed);
}

bool is_divide(Op op)
{
    return op == Op::Divide || op == Op::Modulo;
}

bool is_shift(Op op)
{
    return op == Op::ShiftLeft || op == Op::ShiftRight;
}

}  // namespace

void Generator::unary(const Expr &expr, Reg dst, unsigned busy)
{
    value(*expr.children[0], dst, busy);
    if (expr.op == Op::SwapBytes)
        return out_.swap_bytes(dst, expr.type->size);
    if (expr.op == Op::Negate)
        out_.negate(dst);
    else
        out_.alu_imm(BPF_XOR, dst, -1);
    if (may_overflow(expr.op, *expr.type))
        out_.extend(dst, expr.type->size, expr.type->is_signed);
}

// Evaluates both operands: the left one into `left`, the right one into a register that this
// function chooses and stores in `right`.
void Generator::operands(const Expr &expr, Reg left, Reg *right, unsigned busy)
{
    const Expr &a = *expr.children[0], &b = *expr.children[1];
    *right = free_register(busy | bit(left));
    if (!b.calls && *right != r0) {
        value(a, left, busy);
        value(b, *right, busy | bit(left));
    } else if (b.calls && !a.calls) {
        value(b, *right, busy);
        value(a, left, busy | bit(*right));
    } else {
        value(a, left, busy);
        int16_t left_slot = push(8);
        out_.store(8, frame_reg, left_slot, left);
        value(b, left, busy);
        *right = r0;
        out_.move(r0, left);
        out_.load(8, left, frame_reg, left_slot);
        pop(8);
    }
}

void Generator::binary(const Expr &expr, Reg dst, unsigned busy)
{
    const Expr &right = *expr.children[1];
    // apply_constant() only divides by positive numbers.
    bool immediate = right.op == Op::Constant && fits_immediate(right.number) &&
                     !(is_divide(expr.op) && static_cast<int64_t>(right.number) <= 0);
    if (immediate) {
        value(*expr.children[0], dst, busy);
        apply_constant(expr, dst, right.number);
    } else {
        Reg src;
        operands(expr, dst, &src, busy);
        apply(expr, dst, src);
    }
    if (may_overflow(expr.op, *expr.type))
        out_.extend(dst, expr.type->size, expr.type->is_signed);
}

void Generator::apply_constant(const Expr &expr, Reg dst, uint64_t value)
{
    const types::Type &type = *expr.type;
    if (is_shift(expr.op))
        value &= type.size * 8 - 1;
    uint8_t op = alu_of(expr.op, type.is_signed);
    if (!is_divide(expr.op) || !type.is_signed)
        return out_.alu_imm(op, dst, value);

    // BPF divides only unsigned numbers (until ISA v4): negate a negative dividend before, and the
    // result after.
    Label negative = out_.label(), end = out_.label();
    out_.jump_imm(BPF_JSLT, dst, 0, negative);
    out_.alu_imm(op, dst, value);
    out_.jump(end);
    out_.bind(negative);
    out_.negate(dst);
    out_.alu_imm(op, dst, value);
    out_.negate(dst);
    out_.bind(end);
}

void Generator::apply(const Expr &expr, Reg dst, Reg src)
{
    const types::Type &type = *expr.type;
    if (is_divide(expr.op) && expr.can_fail)
        fail_if_zero(src);
    if (is_divide(expr.op) && type.is_signed)
        return signed_divide(expr.op == Op::Modulo, dst, src);
    if (is_shift(expr.op) && type.size == 4)
        out_.alu_imm(BPF_AND, src, 31);
    out_.alu(alu_of(expr.op, type.is_signed), dst, src);
}

void Generator::fail_if_zero(Reg divisor)
{
    Label not_zero = out_.label();
    out_.jump_imm(BPF_JNE, divisor, 0, not_zero);
    out_.set(r0, -EDOM);
    out_.jump(*failed_);
    out_.bind(not_zero);
}

// Divides the absolute value of `dst` by that of `src`, and then sets the sign of the result. A
// number with this sign is on the stack meanwhile: dst ^ src for a quotient, dst for a remainder.
// Clobbers `src`.
void Generator::signed_divide(bool modulo, Reg dst, Reg src)
{
    int16_t sign = push(8);
    if (!modulo)
        out_.alu(BPF_XOR, dst, src);
    out_.store(8, frame_reg, sign, dst);
    if (!modulo)
        out_.alu(BPF_XOR, dst, src);
    for (Reg reg : {dst, src}) {
        Label positive = out_.label();
        out_.jump_imm(BPF_JSGE, reg, 0, positive);
        out_.negate(reg);
        out_.bind(positive);
    }
    out_.alu(modulo ? BPF_MOD : BPF_DIV, dst, src);
    Label positive = out_.label();
    out_.load(8, src, frame_reg, sign);
    out_.jump_imm(BPF_JSGE, src, 0, positive);
    out_.negate(dst);
    out_.bind(positive);
    pop(8);
}

}  // namespace uscope::expr
