// Builds the expressions that read a Go interface and what it holds.
#include "expr/interface.h"

namespace uscope::expr {
namespace {

types::TypeRef word_type()
{
    return types::integer_type(8, false);
}

ExprRef word_at(const ExprRef &address, uint64_t offset)
{
    return make_load(address, offset, word_type(), address->column);
}

// Returns one of the interface's two words, which may be an Op::Unsupported if the interface is an
// Op::Parts.
ExprRef word_of(const ExprRef &value, size_t index)
{
    if (value->op == Op::Parts)
        return value->children[index];
    return word_at(value->children[0], value->number + index * 8);
}

// Returns the type of the held value, given the interface's first word.
ExprRef type_by(const ExprRef &value, const ExprRef &word)
{
    bool has_table = value->type->interface == types::Type::Interface::WithMethods;
    return has_table ? word_at(word, 8) : word;
}

// Returns the string whose pointer and length are at address + offset.
ExprRef string_at(const ExprRef &address, uint64_t offset)
{
    return make({.op = Op::Text,
                 .type = types::char_pointer(),
                 .column = address->column,
                 .children = {make_load(address, offset, types::char_pointer(), address->column),
                              make_load(address, offset + 8, types::integer_type(8, true),
                                        address->column)},
                 .space = address->space,
                 .source = TextSource::Counted});
}

// Returns the number at `address`, or 0 if `type` is not a number type. A pointer in a key would
// make a different key for each call.
ExprRef number_at(const ExprRef &type, const ExprRef &address)
{
    constexpr uint64_t kind_at = 23, kind_bits = 31, last_number = 16;  // internal/abi: Type
    size_t column = address->column;
    ExprRef kind =
        make_binary(Op::And, make_load(type, kind_at, types::integer_type(1, false), column),
                    make_constant(kind_bits, types::integer_type(1, false), column),
                    types::integer_type(1, false), column);
    ExprRef is_number = make_binary(
        Op::LessEqual, kind, make_constant(last_number, types::integer_type(1, false), column),
        types::integer_type(4, true), column);
    return make(
        {.op = Op::Choose,
         .type = word_type(),
         .column = column,
         .children = {is_number, word_at(address, 0), make_constant(0, word_type(), column)}});
}

}  // namespace

bool is_interface(const Expr &value)
{
    return value.type->interface != types::Type::Interface::No &&
           (value.op == Op::Load || (value.op == Op::Parts && value.children.size() == 2));
}

ExprRef interface_word(const ExprRef &value)
{
    return word_of(value, 0);
}

ExprRef interface_type(const ExprRef &value)
{
    ExprRef word = interface_word(value);
    if (value->type->interface == types::Type::Interface::Empty)
        return word;
    return make(
        {.op = Op::Choose,
         .type = word_type(),
         .column = value->column,
         .children = {word, type_by(value, word), make_constant(0, word_type(), value->column)}});
}

// The running instruction is that of `code` with the same last 12 bits, because files are loaded at
// page boundaries.
ExprRef load_bias(const std::vector<uint64_t> &code, abi::Machine machine, size_t column)
{
    constexpr uint64_t page_bytes = 4096;
    ExprRef base = make_constant(0, word_type(), column);
    ExprRef at = make({.op = Op::Context,
                       .type = word_type(),
                       .column = column,
                       .number = abi::instruction_pointer(machine).pt_regs_offset});
    for (uint64_t vaddr : code) {
        ExprRef from = make_binary(Op::Subtract, at, make_constant(vaddr, word_type(), column),
                                   word_type(), column);
        ExprRef last_bits = make_binary(
            Op::And, from, make_constant(page_bytes - 1, word_type(), column), word_type(), column);
        ExprRef is_it = make_binary(Op::Equal, last_bits, make_constant(0, word_type(), column),
                                    types::integer_type(4, true), column);
        base = make({.op = Op::Choose,
                     .type = word_type(),
                     .column = column,
                     .children = {is_it, from, base}});
    }
    return base;
}

std::vector<ExprRef> interface_parts(const ExprRef &value, const std::vector<uint64_t> &code,
                                     abi::Machine machine, bool is_key)
{
    namespace part = interface_part;
    constexpr uint64_t inner = 32, far = 64;  // offsets of errors within errors
    constexpr uint64_t system_error = 16;     // os.SyscallError: Syscall, Err
    ExprRef type = type_by(value, word_of(value, 0)), held = word_of(value, 1);
    std::vector<ExprRef> parts(is_key ? size_t{part::KeyParts} : size_t{part::Parts});
    parts[part::Base] = load_bias(code, machine, value->column);
    parts[part::Word] = is_key ? number_at(type, held) : word_at(held, 0);
    parts[part::Text] = string_at(held, 0);
    if (is_key)
        return parts;
    ExprRef inner_held = word_at(held, inner + 8), far_held = word_at(held, far + 8);
    parts[part::Text8] = string_at(held, 8);
    parts[part::Text16] = string_at(held, 16);
    parts[part::InnerType] = word_at(word_at(held, inner), 8);
    parts[part::InnerWord] = word_at(inner_held, 0);
    parts[part::InnerText] = string_at(inner_held, 0);
    parts[part::FarType] = word_at(word_at(held, far), 8);
    parts[part::FarText] = string_at(far_held, 0);
    parts[part::FarNumber] = word_at(word_at(far_held, system_error + 8), 0);
    return parts;
}

}  // namespace uscope::expr
