// Checks members, elements, and values at entry.
#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "expr/check.h"
#include "expr/whole.h"

namespace uscope::expr {
namespace {

ExprRef shifted(Op op, const ExprRef &word, unsigned bits, bool is_signed)
{
    types::TypeRef wide = types::integer_type(8, is_signed);
    return make_binary(op, make_convert(word, wide),
                       make_constant(bits, types::integer_type(4, true), word->column), wide,
                       word->column);
}

// Returns the bit-field `field` of a word.
ExprRef bits_of(const ExprRef &word, const types::Member &field)
{
    bool is_signed = field.type->is_signed;
    ExprRef up = shifted(Op::ShiftLeft, word, 64 - field.bit_offset - field.bit_size, is_signed);
    return shifted(Op::ShiftRight, up, 64 - field.bit_size, is_signed);
}

}  // namespace

Result<ExprRef> Checker::index(const Node &node)
{
    ExprRef base = TRY(any(*node.children[0]));
    ExprRef count = TRY(integer(*node.children[1]));
    if (ExprRef list = base->op == Op::Parts ? fixed_list(base) : nullptr)
        base = list;
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
    if (ExprRef element =
            TRY(container_element(base->type->is_reference ? pointed(base) : base, count, node)))
        return element;
    TRY(refuse_index(*base->type, *count, node));
    return element_at(TRY(integer(base)), count, node);
}

ExprRef Checker::pointed(const ExprRef &value)
{
    const types::Type &type = *value->type;
    if (type.kind != types::Type::Kind::Pointer || !type.target ||
        type.target->kind != types::Type::Kind::Struct || value->op == Op::Unsupported ||
        value->op == Op::Text)
        return value;
    return make_load(value, 0, type.target, value->column);
}

Result<ExprRef> Checker::element_at(const ExprRef &pointer, const ExprRef &index, const Node &node)
{
    if (pointer->type->kind != types::Type::Kind::Pointer || !pointer->type->target)
        return fail_at(source_, node.column,
                       "{} has no elements: cast it to a pointer, as in ((int *)arg1)[2]",
                       pointer->type->name);
    ExprRef step = TRY(pointer_step(pointer, index, node));
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
    ExprRef whole = pointed(base);
    if (node.text == "size()")
        return container_size(whole, node);
    ExprRef owned = owned_pointer(whole);
    if (owned && node.text == "get()")
        return owned;
    if (owned && !whole->type->find_member(node.text))
        base = owned;
    if (node.text == "get()")
        return fail_at(source_, node.column, "{} is not a smart pointer that is known",
                       base->type->name);
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

Result<ExprRef> Checker::inner(const ExprRef &structure, const types::Member &member, size_t column)
{
    if (structure->op == Op::Parts)
        return part(structure, member, column);
    return make_load(structure->children[0], structure->number + member.offset, member.type,
                     column);
}

// Returns a member of a structure that is in registers. The member is in one or several of them, or
// in the upper bits of one.
Result<ExprRef> Checker::part(const ExprRef &structure, const types::Member &member, size_t column)
{
    Expr parts = {.op = Op::Parts, .type = member.type, .column = column};
    const auto &offsets = structure->offsets;
    for (size_t i = 0; i < structure->children.size(); i++) {
        uint64_t offset = offsets[i], end = offset + 8;
        if (i + 1 < offsets.size())
            end = std::min(end, offsets[i + 1]);
        if (end <= member.offset ||
            offset >= member.offset + std::max<uint64_t>(member.type->size, 1))
            continue;
        ExprRef word = structure->children[i];
        if (offset < member.offset && word->op != Op::Unsupported)
            word = shifted(Op::ShiftRight, word, (member.offset - offset) * 8, false);
        parts.children.push_back(word);
        parts.offsets.push_back(std::max(offset, member.offset) - member.offset);
    }
    if (member.type->kind == types::Type::Kind::Struct ||
        member.type->kind == types::Type::Kind::Array)
        return make(std::move(parts));
    if (parts.children.size() != 1)
        return fail_at(source_, column, "{} is not in one register that probes can read",
                       member.name);
    const ExprRef &value = parts.children[0];
    if (value->op == Op::Unsupported)
        return fail_at(source_, column, "{}: {}", member.name, value->text);
    return make_convert(member.bit_size ? bits_of(value, member) : value, member.type);
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
    else if (written->op == Op::Load && written->type->kind == types::Type::Kind::Struct &&
             written->type->size)
        written = bytes_of(*written, std::min<uint64_t>(written->type->size, Whole::max_bytes));
    bool is_fixed = written->op == Op::Text && written->source == TextSource::Fixed;
    if (written->op == Op::Unsupported || written->op == Op::Constant || is_fixed)
        return written;
    if (written->op == Op::Text)
        return make({.op = Op::Text,
                     .type = written->type,
                     .column = node.column,
                     .children = {written},
                     .bit_size = written->bit_size,
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

}  // namespace uscope::expr
