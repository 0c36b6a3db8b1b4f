// Checks operators and conversions. check_names.cpp checks names; check_access.cpp checks members,
// indexing, calls and strings.
#include "expr/check.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "expr/interface.h"

namespace uscope::expr {
namespace {

bool is_integer(const types::Type &type)
{
    return type.kind == types::Type::Kind::Integer;
}

// C's integer promotion. Pointers take part in arithmetic as unsigned long. The type "register" (of
// a register whose C type is unknown) is kept, also for values computed from it.
types::TypeRef promote(const types::TypeRef &type)
{
    if (type->is_register)
        return type;
    if (!is_integer(*type))
        return types::integer_type(8, false);
    return type->size < 4 ? types::integer_type(4, true)
                          : types::integer_type(type->size, type->is_signed);
}

// Returns the type that C's usual arithmetic conversions choose for two operands.
types::TypeRef common_type(const types::TypeRef &left, const types::TypeRef &right)
{
    types::TypeRef a = promote(left), b = promote(right);
    if (a->is_register || b->is_register)
        return a->is_register ? a : b;
    if (a->size == b->size)
        return types::integer_type(a->size, a->is_signed && b->is_signed);
    return a->size > b->size ? a : b;
}

struct Operator {
    std::string_view sign;
    Op op;
};
constexpr std::array<Operator, 18> operators = {{
    {"+", Op::Add},
    {"-", Op::Subtract},
    {"*", Op::Multiply},
    {"/", Op::Divide},
    {"%", Op::Modulo},
    {"<<", Op::ShiftLeft},
    {">>", Op::ShiftRight},
    {"&", Op::And},
    {"|", Op::Or},
    {"^", Op::Xor},
    {"==", Op::Equal},
    {"!=", Op::NotEqual},
    {"<", Op::Less},
    {"<=", Op::LessEqual},
    {">", Op::Greater},
    {">=", Op::GreaterEqual},
    {"&&", Op::Both},
    {"||", Op::Either},
}};

Op operator_of(std::string_view sign)
{
    for (const Operator &entry : operators)
        if (entry.sign == sign)
            return entry.op;
    return Op::Unsupported;
}

}  // namespace

std::string listed_members(const types::Type &type)
{
    constexpr size_t max = 8;
    auto names = type.member_names ? type.member_names() : std::vector<std::string>();
    if (names.empty())
        return "";
    bool is_cut = names.size() > max;
    names.resize(std::min(names.size(), max));
    return fmt::format(" ({}{})", join(names, ", "), is_cut ? ", ..." : "");
}

bool is_literal(const Node &node)
{
    return node.kind != NodeKind::Name && node.kind != NodeKind::Call &&
           std::all_of(node.children.begin(), node.children.end(),
                       [](const NodeRef &child) { return is_literal(*child); });
}

Result<ExprRef> Checker::any(const Node &node)
{
    switch (node.kind) {
    case NodeKind::Number:
        return make_constant(
            node.number, types::integer_type(node.is_long ? 8 : 4, !node.is_unsigned), node.column);
    case NodeKind::Text:
        return fail_at(source_, node.column, "a text can only be compared: arg1 == \"text\"");
    case NodeKind::Name:
        return name(node);
    case NodeKind::Unary:
        return unary(node);
    case NodeKind::Binary:
        return binary(node);
    case NodeKind::Conditional:
        return choose(node);
    case NodeKind::Cast: {
        types::TypeRef type = TRY(type_named(node.text, node));
        if (type->kind != types::Type::Kind::Integer && type->kind != types::Type::Kind::Pointer)
            return fail_at(source_, node.column,
                           "cannot convert to {}: only to integers and pointers", type->name);
        ExprRef value = TRY(integer(*node.children[0]));
        if (type->name == "bool" || type->name == "_Bool") {
            ExprRef zero = make_constant(0, value->type, node.column);
            return make_convert(
                make_binary(Op::NotEqual, value, zero, types::integer_type(4, true), node.column),
                type);
        }
        return make_convert(value, type);
    }
    case NodeKind::Index:
        return index(node);
    case NodeKind::Member:
    case NodeKind::Arrow:
        return member(node);
    case NodeKind::Call:
        return call(node);
    case NodeKind::SizeOf:
        return make_constant(TRY(sized_type(node.text, node))->size, types::integer_type(8, false),
                             node.column);
    case NodeKind::OffsetOf:
        return offset_of(node);
    }
    return fail_at(source_, node.column, "unknown kind of expression");
}

Result<ExprRef> Checker::integer(const Node &node)
{
    return integer(TRY(any(node)));
}

Result<ExprRef> Checker::integer(const ExprRef &value)
{
    size_t column = value->column;
    if (value->op == Op::Unsupported)
        return fail_at(source_, column, "{}", value->text);
    if (is_saved_whole(*value))
        return text(value);  // the error
    if (value->op == Op::Text) {
        if (value->source == TextSource::CString || value->source == TextSource::Counted)
            return value->children[0];
        return fail_at(source_, column, "cannot calculate with a string; compare it: == \"…\"");
    }
    const types::Type &type = *value->type;
    switch (type.kind) {
    case types::Type::Kind::Pointer:
        return value;
    case types::Type::Kind::Integer:
        if (type.size == 1 || type.size == 2 || type.size == 4 || type.size == 8)
            return value;
        return fail_at(source_, column, "cannot calculate with {}: it has {} bytes", type.name,
                       type.size);
    case types::Type::Kind::Array:
        if (value->op != Op::Load)
            return fail_at(source_, column, "this is an array: choose an element, such as [0]");
        return make_convert(address_of(*value), types::pointer_to(type.target));
    case types::Type::Kind::Float:
        return fail_at(source_, column, "cannot calculate with {}, only show it", type.name);
    case types::Type::Kind::Struct:
        if (is_interface(*value))
            return interface_word(value);
        if (auto members = listed_members(type); !members.empty() || type.size <= 8)
            return fail_at(source_, column, "this is a whole {}: name one of its members{}",
                           type.name, members);
        return fail_at(
            source_, column,
            "cannot calculate with {}: it has {} bytes; to read a part of it, cast its address, "
            "as in *(unsigned long *)(arg1 + 16)",
            type.name, type.size);
    case types::Type::Kind::Void:
        break;
    }
    return fail_at(source_, column, "this has no value (void)");
}

Result<ExprRef> Checker::unary(const Node &node)
{
    const Node &child = *node.children[0];
    if (node.text == "@user") {
        Expr marked = *TRY(any(child));
        marked.space = Space::User;
        return make(std::move(marked));
    }
    // `*n` was how to write the number to which a reference n refers.
    if (node.text == "*" && child.kind == NodeKind::Name) {
        ExprRef named = TRY(any(child));
        bool is_referred = named->op == Op::Load && named->children[0]->type->is_reference;
        if (is_referred && named->type->kind != types::Type::Kind::Pointer)
            return named;
    }
    ExprRef value = TRY(integer(child));
    if (node.text == "!")
        return make_unary(Op::Not, value, types::integer_type(4, true), node.column);
    if (node.text == "*") {
        const types::Type &type = *value->type;
        if (type.kind != types::Type::Kind::Pointer || !type.target)
            return fail_at(source_, node.column,
                           "{} is not a pointer to a known type: cast it, as in *(int *)arg1",
                           type.name);
        return make_load(value, 0, type.target, node.column);
    }
    types::TypeRef type = promote(value->type);
    value = make_convert(value, type);
    if (node.text == "+")
        return value;
    return make_unary(node.text == "-" ? Op::Negate : Op::Complement, value, type, node.column);
}

// Returns both operands of an operator. One of them may be a constant of the other's enumeration.
Result<std::pair<ExprRef, ExprRef>> Checker::operands(const Node &left, const Node &right)
{
    auto first = integer(left);
    if (first)
        return std::pair{*first, TRY(beside(right, *(*first)->type))};
    auto second = left.kind == NodeKind::Name ? integer(right) : Failure(first.error());
    if (!second || !(*second)->type->constant_value)
        return Failure(std::move(first.error()));
    return std::pair{TRY(beside(left, *(*second)->type)), *second};
}

// Returns the operand `node` of an operator whose other operand has the type `other`.
Result<ExprRef> Checker::beside(const Node &node, const types::Type &other)
{
    auto value = integer(node);
    if (value || node.kind != NodeKind::Name || !other.constant_value)
        return value;
    std::string_view name = node.text;
    if (size_t colons = name.rfind("::"); colons != name.npos)
        name.remove_prefix(colons + 2);
    if (auto constant = other.constant_value(name))
        return make_constant(*constant, types::integer_type(other.size, other.is_signed),
                             node.column);
    return value;
}

Result<ExprRef> Checker::binary(const Node &node)
{
    const Node &left_node = *node.children[0], &right_node = *node.children[1];
    Op op = operator_of(node.text);
    if (op == Op::Equal || op == Op::NotEqual) {
        bool left_is_text = left_node.kind == NodeKind::Text;
        if (left_is_text || right_node.kind == NodeKind::Text) {
            ExprRef equal = left_is_text
                                ? TRY(text_equal(right_node, left_node, TextMatch::Whole, node))
                                : TRY(text_equal(left_node, right_node, TextMatch::Whole, node));
            if (op == Op::Equal)
                return equal;
            return make_unary(Op::Not, equal, types::integer_type(4, true), node.column);
        }
    }
    auto [left, right] = TRY(operands(left_node, right_node));
    if (op == Op::Both || op == Op::Either)
        return make_binary(op, left, right, types::integer_type(4, true), node.column);
    if (op == Op::ShiftLeft || op == Op::ShiftRight) {
        types::TypeRef type = promote(left->type);
        TRY(refuse_shift_count(*right, *type, right_node));
        return make_binary(op, make_convert(left, type), make_convert(right, promote(right->type)),
                           type, node.column);
    }
    bool has_pointer = !is_integer(*left->type) || !is_integer(*right->type);
    if (has_pointer && (op == Op::Add || op == Op::Subtract))
        return pointer_arithmetic(op, left, right, node);
    return arithmetic(op, left, right, node);
}

Result<> Checker::refuse_shift_count(const Expr &count, const types::Type &shifted,
                                     const Node &node) const
{
    // A negative count is a large unsigned number, so this also refuses it.
    if (count.op != Op::Constant || !is_literal(node) || count.number < shifted.size * 8)
        return {};
    return fail_at(source_, node.column, "the shift count of a {}-bit value must be from 0 to {}",
                   shifted.size * 8, shifted.size * 8 - 1);
}

Result<ExprRef> Checker::arithmetic(Op op, ExprRef left, ExprRef right, const Node &node)
{
    types::TypeRef type = common_type(left->type, right->type);
    left = make_convert(left, type);
    right = make_convert(right, type);
    bool divides = op == Op::Divide || op == Op::Modulo;
    if (divides && right->op == Op::Constant && right->number == 0 && is_literal(*node.children[1]))
        return fail_at(source_, node.column, "division by zero");
    return make_binary(op, left, right, is_condition(op) ? types::integer_type(4, true) : type,
                       node.column);
}

// pointer + n, n + pointer, pointer - n, pointer - pointer: n and the difference count elements.
Result<ExprRef> Checker::pointer_arithmetic(Op op, ExprRef left, ExprRef right, const Node &node)
{
    bool left_is_pointer = !is_integer(*left->type), right_is_pointer = !is_integer(*right->type);
    if (left_is_pointer && right_is_pointer) {
        if (op == Op::Add)
            return fail_at(source_, node.column, "two pointers cannot be added");
        ExprRef bytes = make_binary(op, make_convert(left, types::integer_type(8, true)),
                                    make_convert(right, types::integer_type(8, true)),
                                    types::integer_type(8, true), node.column);
        uint64_t size = left->type->target ? left->type->target->size : 1;
        if (size <= 1)
            return bytes;
        return make_binary(Op::Divide, bytes,
                           make_constant(size, types::integer_type(8, true), node.column),
                           types::integer_type(8, true), node.column);
    }
    if (right_is_pointer) {
        if (op == Op::Subtract)
            return fail_at(source_, node.column, "a pointer cannot be subtracted from a number");
        std::swap(left, right);
    }
    ExprRef step = TRY(pointer_step(left, right, node));
    return make_binary(op, left, step, left->type, node.column);
}

// Returns the size in bytes of `count` elements of the type that the pointer points to.
Result<ExprRef> Checker::pointer_step(const ExprRef &pointer, const ExprRef &count,
                                      const Node &node)
{
    const types::TypeRef &target = pointer->type->target;
    if (target && target->size == 0)
        return fail_at(source_, node.column, "the size of {} is not known", target->name);
    // Extend the count by its own signedness first, so that p[-1] with an int index is the element
    // before p.
    ExprRef wide = make_convert(count, types::integer_type(8, count->type->is_signed));
    uint64_t size = target ? target->size : 1;
    if (size == 1)
        return wide;
    return make_binary(Op::Multiply, wide,
                       make_constant(size, types::integer_type(8, false), node.column),
                       types::integer_type(8, false), node.column);
}

Result<ExprRef> Checker::choose(const Node &node)
{
    ExprRef condition = TRY(integer(*node.children[0]));
    ExprRef yes = TRY(integer(*node.children[1])), no = TRY(integer(*node.children[2]));
    types::TypeRef type = !is_integer(*yes->type)  ? yes->type
                          : !is_integer(*no->type) ? no->type
                                                   : common_type(yes->type, no->type);
    yes = make_convert(yes, type);
    no = make_convert(no, type);
    if (condition->op == Op::Constant)
        return condition->number ? yes : no;
    Space space = yes->space;
    return make({.op = Op::Choose,
                 .type = type,
                 .column = node.column,
                 .children = {condition, yes, no},
                 .space = space});
}

Result<types::TypeRef> Checker::type_named(const std::string &name, const Node &node)
{
    types::TypeRef type = types::parse_type(name, scope_.find_type);
    if (!type)
        return fail_at(source_, node.column, "unknown type {}{}", name,
                       scope_.find_type ? "" : " (the program has no debug information)");
    return type;
}

// offsetof(type, member): the member of the structure at address 0 has its offset as its address.
Result<ExprRef> Checker::offset_of(const Node &node)
{
    types::TypeRef type = TRY(type_named(node.text, node));
    types::TypeRef wide = types::integer_type(8, false);
    ExprRef whole = make_load(make_constant(0, wide, node.column), 0, type, node.column);
    std::vector<const Node *> path;
    for (const Node *part = node.children[0].get(); part; part = part->children[0].get()) {
        path.push_back(part);
        if (part->kind == NodeKind::Name)
            break;
        if (part->kind != NodeKind::Member)
            return fail_at(source_, part->column, "expected a member's name");
    }
    for (auto part = path.rbegin(); part != path.rend(); ++part) {
        if (whole->op != Op::Load || whole->type->kind != types::Type::Kind::Struct)
            return fail_at(source_, (*part)->column, "{} has no members", whole->type->name);
        whole = TRY(member_of(*whole->type, whole->children[0], whole->number, **part));
    }
    return make_constant(whole->number, wide, node.column);
}

Result<types::TypeRef> Checker::sized_type(const std::string &name, const Node &node)
{
    types::TypeRef type = TRY(type_named(name, node));
    if (type->size == 0)
        return fail_at(source_, node.column, "the size of {} is not known", name);
    return type;
}

}  // namespace uscope::expr
