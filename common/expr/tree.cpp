// Builds and compares checked expressions.
#include "expr/tree.h"

namespace uscope::expr {
namespace {

bool calls_itself(const Expr &expr)
{
    switch (expr.op) {
    case Op::Builtin:
    case Op::Load:
    case Op::TextEqual:  // even without a call, the comparison needs registers of its own
        return true;
    default:
        return false;
    }
}

bool fails_itself(const Expr &expr)
{
    switch (expr.op) {
    case Op::Load:
        return true;
    case Op::Text:
        return expr.source == TextSource::CString || expr.source == TextSource::Counted ||
               expr.source == TextSource::DataLoc || expr.source == TextSource::Wide;
    case Op::Divide:
    case Op::Modulo: {
        const Expr &divisor = *expr.children[1];
        return divisor.op != Op::Constant || divisor.number == 0;
    }
    default:
        return false;
    }
}

// Returns the result that the generated instructions would have. Where C's behaviour is undefined,
// this is what BPF does: a shift count is taken modulo the width. The divisor must not be 0.
uint64_t calculate(Op op, const types::Type &type, uint64_t left, uint64_t right)
{
    auto signed_left = static_cast<int64_t>(left), signed_right = static_cast<int64_t>(right);
    uint64_t count = right & (type.size * 8 - 1);
    switch (op) {
    case Op::Add:
        return left + right;
    case Op::Subtract:
        return left - right;
    case Op::Multiply:
        return left * right;
    case Op::Divide:
        if (type.is_signed)
            return signed_right == -1 ? -left : signed_left / signed_right;
        return left / right;
    case Op::Modulo:
        if (type.is_signed)
            return signed_right == -1 ? 0 : signed_left % signed_right;
        return left % right;
    case Op::ShiftLeft:
        return left << count;
    case Op::ShiftRight:
        return type.is_signed ? signed_left >> count : left >> count;
    case Op::And:
        return left & right;
    case Op::Or:
        return left | right;
    case Op::Xor:
        return left ^ right;
    case Op::Equal:
        return left == right;
    case Op::NotEqual:
        return left != right;
    case Op::Less:
        return type.is_signed ? signed_left < signed_right : left < right;
    case Op::LessEqual:
        return type.is_signed ? signed_left <= signed_right : left <= right;
    case Op::Greater:
        return type.is_signed ? signed_left > signed_right : left > right;
    case Op::GreaterEqual:
        return type.is_signed ? signed_left >= signed_right : left >= right;
    case Op::Both:
        return left && right;
    case Op::Either:
        return left || right;
    default:
        return 0;
    }
}

}  // namespace

uint64_t extend(uint64_t value, uint64_t size, bool is_signed)
{
    if (size == 0 || size >= 8)
        return value;
    unsigned unused = 64 - size * 8;
    value <<= unused;
    return is_signed ? static_cast<uint64_t>(static_cast<int64_t>(value) >> unused)
                     : value >> unused;
}

bool keeps_form(const types::Type &from, const types::Type &to)
{
    if (to.size >= 8)
        return true;
    if (from.size == to.size)
        return from.is_signed == to.is_signed;
    return from.size < to.size && (to.is_signed || !from.is_signed);
}

bool is_condition(Op op)
{
    return op == Op::Not || op == Op::Both || op == Op::Either || op == Op::TextEqual ||
           (op >= Op::Equal && op <= Op::GreaterEqual);
}

bool same(const Expr &left, const Expr &right)
{
    if (left.op != right.op || left.number != right.number || left.builtin != right.builtin ||
        left.bit_offset != right.bit_offset || left.bit_size != right.bit_size ||
        left.source != right.source || left.bound != right.bound || left.text != right.text ||
        left.match != right.match || left.is_bytes != right.is_bytes ||
        left.is_address != right.is_address || left.space != right.space ||
        left.type->size != right.type->size || left.type->is_signed != right.type->is_signed ||
        left.offsets != right.offsets || left.children.size() != right.children.size())
        return false;
    for (size_t i = 0; i < left.children.size(); i++)
        if (!same(*left.children[i], *right.children[i]))
            return false;
    return true;
}

ExprRef make(Expr expr)
{
    expr.calls = calls_itself(expr);
    expr.can_fail = fails_itself(expr);
    // The children of a value that was saved at entry are not evaluated again.
    bool evaluates_children =
        expr.op != Op::Saved && !(expr.op == Op::Text && expr.source == TextSource::Saved);
    for (const ExprRef &child : expr.children) {
        expr.calls |= evaluates_children && child->calls;
        expr.can_fail |= child->can_fail;
    }
    return std::make_shared<const Expr>(std::move(expr));
}

ExprRef make_constant(uint64_t value, types::TypeRef type, size_t column)
{
    value = extend(value, type->size, type->is_signed);
    return make({.op = Op::Constant, .type = std::move(type), .column = column, .number = value});
}

ExprRef make_convert(ExprRef value, types::TypeRef type)
{
    if (value->op == Op::Constant)
        return make_constant(value->number, std::move(type), value->column);
    size_t column = value->column;
    Space space = type->is_user ? Space::User : value->space;
    // A conversion to the same or a smaller size makes an earlier one irrelevant.
    if (value->op == Op::Convert && type->size <= value->type->size && type->size < 8)
        value = value->children[0];
    return make({.op = Op::Convert,
                 .type = std::move(type),
                 .column = column,
                 .children = {std::move(value)},
                 .space = space});
}

ExprRef make_unary(Op op, ExprRef value, types::TypeRef type, size_t column)
{
    if (value->op == Op::Constant) {
        uint64_t number = value->number;
        number = op == Op::Negate       ? -number
                 : op == Op::Complement ? ~number
                 : op == Op::SwapBytes  ? __builtin_bswap64(number) >> (64 - type->size * 8)
                                        : !number;
        return make_constant(number, std::move(type), column);
    }
    return make(
        {.op = op, .type = std::move(type), .column = column, .children = {std::move(value)}});
}

ExprRef make_binary(Op op, ExprRef left, ExprRef right, types::TypeRef type, size_t column)
{
    bool by_zero = (op == Op::Divide || op == Op::Modulo) && right->number == 0;
    if (left->op == Op::Constant && right->op == Op::Constant && !by_zero) {
        uint64_t value = calculate(op, *left->type, left->number, right->number);
        return make_constant(value, std::move(type), column);
    }
    Space space = left->type->kind == types::Type::Kind::Integer &&
                          right->type->kind != types::Type::Kind::Integer
                      ? right->space
                      : left->space;
    return make({.op = op,
                 .type = std::move(type),
                 .column = column,
                 .children = {std::move(left), std::move(right)},
                 .space = space});
}

ExprRef address_of(const Expr &load)
{
    return make_binary(Op::Add, load.children[0],
                       make_constant(load.number, types::integer_type(8, false), load.column),
                       types::pointer_to(load.type), load.column);
}

ExprRef bytes_of(const Expr &load, uint64_t bytes)
{
    return make({.op = Op::Text,
                 .type = load.type,
                 .column = load.column,
                 .children = {address_of(load),
                              make_constant(bytes, types::integer_type(8, false), load.column)},
                 .space = load.space,
                 .source = TextSource::Counted,
                 .is_bytes = true});
}

ExprRef make_load(ExprRef address, uint64_t offset, types::TypeRef type, size_t column)
{
    Space space = type->is_user ? Space::User : address->space;
    // Fold p + 8 into p at offset 8.
    if (address->op == Op::Add && address->children[1]->op == Op::Constant &&
        address->type->size == 8) {
        offset += address->children[1]->number;
        address = address->children[0];
    }
    return make({.op = Op::Load,
                 .type = std::move(type),
                 .column = column,
                 .children = {std::move(address)},
                 .number = offset,
                 .space = space});
}

}  // namespace uscope::expr
