// Checks members, elements, values at entry, and calls of the language's functions.
#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "expr/check.h"

namespace uscope::expr {
Result<ExprRef> Checker::index(const Node &node)
{
    ExprRef base = TRY(any(*node.children[0]));
    ExprRef count = TRY(integer(*node.children[1]));
    const types::TypeRef &target = base->type->target;

    bool in_context = base->op == Op::Context && base->type->kind == types::Type::Kind::Array;
    if (in_context || (base->op == Op::Text && base->source == TextSource::ContextArray)) {
        // The verifier refuses loads from the context at an offset that is not constant.
        if (count->op != Op::Constant)
            return fail_at(source_, node.children[1]->column,
                           "the index into a field of the record must be constant");
        uint64_t size = target ? target->size : 0;
        if (size == 0 || !target || target->kind != types::Type::Kind::Integer ||
            count->number >= base->type->size / size)
            return fail_at(source_, node.children[1]->column, "there is no such element");
        return make({.op = Op::Context,
                     .type = target,
                     .column = node.column,
                     .number = base->number + count->number * size});
    }
    if (base->op == Op::Parts && base->type->kind == types::Type::Kind::Array && target &&
        target->size) {
        if (count->op != Op::Constant || count->number >= base->type->size / target->size)
            return fail_at(source_, node.children[1]->column, "there is no such element");
        types::Member element = {.name = fmt::format("[{}]", count->number),
                                 .type = target,
                                 .offset = count->number * target->size};
        return part(base, element, node.column);
    }
    TRY(refuse_index(*base->type, *count, node));
    ExprRef pointer = TRY(integer(base));
    if (pointer->type->kind != types::Type::Kind::Pointer || !pointer->type->target)
        return fail_at(source_, node.column,
                       "{} has no elements: cast it to a pointer, as in ((int *)arg1)[2]",
                       pointer->type->name);
    ExprRef step = TRY(pointer_step(pointer, count, node));
    ExprRef address = make_binary(Op::Add, pointer, step, pointer->type, node.column);
    return make_load(address, 0, pointer->type->target, node.column);
}

// Refuses a constant index beyond the array's end. Arrays of one element are exempt, because old C
// code ends a structure with such an array where it means any number of elements.
Result<> Checker::refuse_index(const types::Type &array, const Expr &index, const Node &node) const
{
    if (array.kind != types::Type::Kind::Array || index.op != Op::Constant || !array.target ||
        array.target->size == 0)
        return {};
    uint64_t elements = array.size / array.target->size;
    if (elements <= 1 || index.number < elements || !is_literal(*node.children[1]))
        return {};
    return fail_at(source_, node.children[1]->column,
                   "{} has elements 0 to {}; to read beyond them, cast it: (({} *)...)[{}]",
                   array.name, elements - 1, array.target->name,
                   static_cast<int64_t>(index.number));
}

Result<ExprRef> Checker::member(const Node &node)
{
    const Node &owner = *node.children[0];
    if (owner.kind == NodeKind::Name && (owner.text == "args" || owner.text == "ctx")) {
        if (ExprRef special = TRY(special_member(node)))
            return special;
    }
    ExprRef base = TRY(any(owner));
    if (node.kind == NodeKind::Member && base->type->kind == types::Type::Kind::Struct) {
        if (base->op == Op::Parts)
            return member_of(*base->type, base, 0, node);
        if (base->op != Op::Load)
            return fail_at(source_, base->column, "{}", base->text);
        return member_of(*base->type, base->children[0], base->number, node);
    }
    // '.' also dereferences a pointer, as in other languages.
    ExprRef pointer = TRY(integer(base));
    const types::TypeRef &target = pointer->type->target;
    if (pointer->type->kind != types::Type::Kind::Pointer || !target ||
        target->kind != types::Type::Kind::Struct)
        return fail_at(source_, node.column,
                       "{} has no members: cast it, as in ((struct client *)arg1)->{}",
                       pointer->type->name, node.text);
    return member_of(*target, pointer, 0, node);
}

Result<ExprRef> Checker::member_of(const types::Type &structure, const ExprRef &address,
                                   uint64_t offset, const Node &node)
{
    std::optional<types::Member> found;
    if (structure.find_member)
        found = structure.find_member(node.text);
    if (!found || !found->type) {
        if (!structure.find_member)
            return fail_at(source_, node.column,
                           "the members of {} are not known (no debug information)",
                           structure.name);
        std::vector<std::string> names;
        if (structure.member_names)
            names = structure.member_names();
        return fail_at(source_, node.column, "{} has no member {}{}", structure.name, node.text,
                       did_you_mean(near_names(node.text, names)));
    }
    if (address->op == Op::Parts)
        return part(address, *found, node.column);
    ExprRef load = make_load(address, offset + found->offset, found->type, node.column);
    if (found->bit_size == 0)
        return load;
    Expr field = *load;
    field.number += found->bit_offset / 8;
    field.bit_offset = found->bit_offset % 8;
    field.bit_size = found->bit_size;
    if (field.bit_offset + field.bit_size > 64 || found->type->kind != types::Type::Kind::Integer)
        return fail_at(source_, node.column, "the bit-field {} cannot be read", node.text);
    return make(std::move(field));
}

// Returns a member of a structure that is in registers. The member is in one or several of them.
Result<ExprRef> Checker::part(const ExprRef &structure, const types::Member &member, size_t column)
{
    Expr parts = {.op = Op::Parts, .type = member.type, .column = column};
    for (size_t i = 0; i < structure->children.size(); i++) {
        uint64_t offset = structure->offsets[i];
        if (offset < member.offset ||
            offset - member.offset >= std::max<uint64_t>(member.type->size, 1))
            continue;
        parts.children.push_back(structure->children[i]);
        parts.offsets.push_back(offset - member.offset);
    }
    if (member.type->kind == types::Type::Kind::Struct ||
        member.type->kind == types::Type::Kind::Array)
        return make(std::move(parts));
    if (parts.children.size() != 1)
        return fail_at(source_, column, "{} is not in one register", member.name);
    const ExprRef &value = parts.children[0];
    if (value->op == Op::Unsupported)
        return fail_at(source_, column, "{}: {}", member.name, value->text);
    return make_convert(value, member.type);
}

// Returns args->field of a tracepoint or ctx->register; null if "args" or "ctx" is an ordinary name
// here.
Result<ExprRef> Checker::special_member(const Node &node)
{
    const Node &owner = *node.children[0];
    if (owner.text == "args" && scope_.find_field) {
        auto found = scope_.find_field(node.text);
        if (!found)
            return fail_at(source_, node.column, "{}", found.error().text);
        if (!*found)
            return fail_at(
                source_, node.column, "the tracepoint has no field {}{}", node.text,
                did_you_mean(near_names(
                    node.text, scope_.names ? scope_.names() : std::vector<std::string>())));
        return variable(**found, node);
    }
    if (owner.text != "ctx" || scope_.find_field)
        return ExprRef();
    if (scope_.find) {
        auto ordinary = scope_.find("ctx");
        if (ordinary && *ordinary)
            return ExprRef();
    }
    auto reg = abi::pt_regs_field(scope_.machine, node.text);
    if (!reg)
        return fail_at(source_, node.column, "there is no register {}", node.text);
    return from_register(*reg, 8, false, node.column);
}

Result<ExprRef> Checker::call(const Node &node)
{
    auto wants = [&](size_t least, size_t max) -> Result<> {
        if (node.children.size() < least || node.children.size() > max)
            return fail_at(
                source_, node.column, "{}() takes {} argument{}", node.text,
                least == max ? fmt::format("{}", least) : fmt::format("{} or {}", least, max),
                max == 1 ? "" : "s");
        return {};
    };
    const std::string &name = node.text;
    if (name == "$entry") {
        TRY(wants(1, 1));
        return entry_value(node);
    }
    if (name == "str" || name == "buf") {
        TRY(wants(name == "str" ? 1 : 2, 2));
        return counted_text(node);
    }
    if (name == "STRCMP" || name == "starts_with" || name == "contains") {
        TRY(wants(2, 2));
        const Node *literal = node.children[0].get(), *subject = node.children[1].get();
        if (literal->kind != NodeKind::Text)
            std::swap(literal, subject);
        if (literal->kind != NodeKind::Text)
            return fail_at(source_, node.column, "one argument of {}() must be a \"text\"", name);
        TextMatch match = name == "starts_with" ? TextMatch::Start
                          : name == "contains"  ? TextMatch::Inside
                                                : TextMatch::Whole;
        return text_equal(*subject, *literal, match, node);
    }
    if (name == "min" || name == "max") {
        TRY(wants(2, 2));
        return extreme(node);
    }
    if (name == "abs") {
        TRY(wants(1, 1));
        return absolute(node);
    }
    if (name == "reg") {
        TRY(wants(1, 1));
        return register_value(node);
    }
    if (name == "as_double" || name == "as_float") {
        TRY(wants(1, 1));
        return floating(node);
    }
    static const std::vector<std::string> known = {
        "str", "buf", "reg",    "as_double",   "as_float", "min",
        "max", "abs", "STRCMP", "starts_with", "contains", "$entry"};
    return fail_at(source_, node.column, "there is no function {}(){}", name,
                   did_you_mean(near_names(name, known)));
}

// min(a, b), max(a, b)
Result<ExprRef> Checker::extreme(const Node &node)
{
    bool is_min = node.text == "min";
    auto [left, right] = TRY(operands(*node.children[0], *node.children[1]));
    ExprRef is_left = TRY(arithmetic(is_min ? Op::Less : Op::Greater, left, right, node));
    // The type of both, by C's rules: that of their sum.
    types::TypeRef type = TRY(arithmetic(Op::Or, left, right, node))->type;
    if (is_left->op == Op::Constant)
        return make_convert(is_left->number ? left : right, type);
    return make({.op = Op::Choose,
                 .type = type,
                 .column = node.column,
                 .children = {is_left, make_convert(left, type), make_convert(right, type)},
                 .space = left->space});
}

Result<ExprRef> Checker::absolute(const Node &node)
{
    ExprRef value = TRY(integer(*node.children[0]));
    if (value->type->kind != types::Type::Kind::Integer)
        return fail_at(source_, value->column, "abs() takes an integer, not {}", value->type->name);
    types::TypeRef type = types::integer_type(value->type->size < 8 ? 4 : 8, true);
    value = make_convert(value, type);
    ExprRef is_negative = make_binary(Op::Less, value, make_constant(0, type, node.column),
                                      types::integer_type(4, true), node.column);
    ExprRef negated = make_unary(Op::Negate, value, type, node.column);
    if (is_negative->op == Op::Constant)
        return is_negative->number ? negated : value;
    return make({.op = Op::Choose,
                 .type = type,
                 .column = node.column,
                 .children = {is_negative, negated, value}});
}

Result<ExprRef> Checker::register_value(const Node &node)
{
    const Node &name = *node.children[0];
    if (name.kind != NodeKind::Text)
        return fail_at(source_, name.column, "expected a register's name in quotes: reg(\"rsp\")");
    if (scope_.find_field)
        return fail_at(source_, node.column, "tracepoints have no registers");
    // pt_regs_field() knows "ax", "sp", "ip": the kernel's names, which mean whole registers. For
    // the low 16 bits, use (short)reg("ax").
    auto found = abi::pt_regs_field(scope_.machine, name.text);
    if (!found)
        found = abi::find_register(scope_.machine, name.text);
    if (!found)
        return fail_at(source_, name.column, "there is no register {}", name.text);
    return from_register(*found, found->size, false, node.column);
}

// as_double(arg1), as_float(arg1): interpret the bits of an integer as a floating-point number.
Result<ExprRef> Checker::floating(const Node &node)
{
    static const types::TypeRef wide = types::parse_type("double"),
                                narrow = types::parse_type("float");
    const types::TypeRef &type = node.text == "as_double" ? wide : narrow;
    ExprRef value = TRY(any(*node.children[0]));
    if (value->op == Op::Unsupported)
        return value;
    if (value->type->kind == types::Type::Kind::Float)
        return value;
    value = TRY(integer(value));
    if (value->type->size < type->size)
        return fail_at(source_, value->column, "{} has {} bytes, a {} {}", value->type->name,
                       value->type->size, type->name, type->size);
    return make(
        {.op = Op::Convert, .type = type, .column = node.column, .children = {std::move(value)}});
}

Result<ExprRef> Checker::entry_value(const Node &node)
{
    if (!scope_.entry)
        return fail_at(source_, node.column, "$entry() works on return only: trace r:… instead");
    Checker entry(*scope_.entry, source_);
    ExprRef written = TRY(entry.any(*node.children[0]));
    if (written->type->interface != types::Type::Interface::No)
        return fail_at(source_, node.column,
                       "$entry() cannot save an interface: trace the entry (p:) instead");
    if (written->type->text || written->type->points_to_text())
        written = TRY(entry.text(written));
    if (written->op == Op::Unsupported || written->op == Op::Constant)
        return written;
    if (written->op == Op::Text)
        return make({.op = Op::Text,
                     .type = written->type,
                     .column = node.column,
                     .children = {written},
                     .source = TextSource::Saved,
                     .is_bytes = written->is_bytes});
    ExprRef value =
        written->type->kind == types::Type::Kind::Float ? written : TRY(entry.integer(written));
    return make({.op = Op::Saved,
                 .type = value->type,
                 .column = node.column,
                 .children = {value, written},
                 .space = value->space});
}

// Checks str(p), str(p, n) and buf(p, n).
Result<ExprRef> Checker::counted_text(const Node &node)
{
    ExprRef subject = TRY(any(*node.children[0]));
    if (subject->op == Op::Unsupported)
        return subject;
    if (node.children.size() == 1 || subject->type->interface != types::Type::Interface::No)
        return text(subject);
    ExprRef address = TRY(integer(subject)), length = TRY(integer(*node.children[1]));
    if (length->op == Op::Constant && length->type->is_signed &&
        static_cast<int64_t>(length->number) < 0 && is_literal(*node.children[1]))
        return fail_at(source_, node.children[1]->column, "a length cannot be negative");
    if (address->type->size != 8 && address->op != Op::Constant)
        return fail_at(source_, address->column, "{} is not a pointer", address->type->name);
    types::TypeRef wide = types::integer_type(8, length->type->is_signed);
    return make({.op = Op::Text,
                 .type = types::char_pointer(),
                 .column = node.column,
                 .children = {address, make_convert(length, wide)},
                 .space = address->space,
                 .source = TextSource::Counted,
                 .is_bytes = node.text == "buf"});
}

}  // namespace uscope::expr
