// Checks calls of the language's functions:
//
//   str(pointer[, length]), buf(pointer, length)    texts, and bytes that may contain NULs
//   wstr(pointer[, length])                         texts of UTF-16 and wchar_t
//   starts_with, ends_with, contains(s, "text")     comparisons of a string with a text; 1: true
//   STRCMP("text", s)                               BCC's: 1 if they are equal
//   strcmp(s, "text"), strncmp(s, "text", n), memcmp(p, "bytes"[, n])    C's: 0 if they are equal
//   len(s)                 the length in bytes of a text that knows it
//   min(a, b), max(a, b), abs(n), bswap(n)
//   ntop(address)          an IP address or a socket's address, shown as text
//   port(address)          the port of a socket's address
//   reg("rsp"), as_double(n), as_float(n)
//   $entry(expression)     at a return: its value at the function's entry
#include <algorithm>
#include <array>

#include "base/format.h"
#include "base/text.h"
#include "expr/check.h"

namespace uscope::expr {
namespace {

constexpr uint64_t socket_address_bytes = 28;  // struct sockaddr_in6, the longest one of IP
constexpr uint64_t port_at = 2;                // in sockaddr_in and sockaddr_in6
constexpr std::array<std::string_view, 3> wide_characters = {"char16_t", "char32_t", "wchar_t"};

ExprRef wide_at(const ExprRef &address, uint64_t wide)
{
    return make({.op = Op::Text,
                 .type = types::char_pointer(),
                 .column = address->column,
                 .children = {address},
                 .space = address->space,
                 .bit_size = static_cast<uint8_t>(wide * 8),
                 .source = TextSource::Wide,
                 .is_bytes = true});
}

}  // namespace

const std::vector<Checker::Function> &Checker::functions()
{
    static const std::vector<Function> all = {
        {"$entry", 1, 1, &Checker::entry_value},   {"str", 1, 2, &Checker::counted_text},
        {"buf", 2, 2, &Checker::counted_text},     {"wstr", 1, 2, &Checker::wide_text},
        {"STRCMP", 2, 2, &Checker::text_test},     {"starts_with", 2, 2, &Checker::text_test},
        {"ends_with", 2, 2, &Checker::text_test},  {"contains", 2, 2, &Checker::text_test},
        {"strcmp", 2, 2, &Checker::compared},      {"strncmp", 3, 3, &Checker::compared},
        {"memcmp", 2, 3, &Checker::compared},      {"len", 1, 1, &Checker::length},
        {"min", 2, 2, &Checker::extreme},          {"max", 2, 2, &Checker::extreme},
        {"abs", 1, 1, &Checker::absolute},         {"bswap", 1, 1, &Checker::swapped},
        {"ntop", 1, 1, &Checker::network_address}, {"port", 1, 1, &Checker::port},
        {"reg", 1, 1, &Checker::register_value},   {"as_double", 1, 1, &Checker::floating},
        {"as_float", 1, 1, &Checker::floating},
    };
    return all;
}

Result<ExprRef> Checker::call(const Node &node)
{
    std::vector<std::string> names;
    for (const auto &[name, least, most, check] : functions()) {
        names.emplace_back(name);
        if (name != node.text)
            continue;
        if (node.children.size() < least || node.children.size() > most)
            return fail_at(
                source_, node.column, "{}() takes {} argument{}", name,
                least == most ? fmt::format("{}", least) : fmt::format("{} or {}", least, most),
                most == 1 ? "" : "s");
        return (this->*check)(node);
    }
    return fail_at(source_, node.column, "there is no function {}(){}", node.text,
                   did_you_mean(near_names(node.text, names)));
}

// Returns the two arguments, a value and a "text", in this order.
Result<std::pair<const Node *, const Node *>> Checker::value_and_text(const Node &node) const
{
    const Node *literal = node.children[0].get(), *subject = node.children[1].get();
    if (literal->kind != NodeKind::Text)
        std::swap(literal, subject);
    if (literal->kind != NodeKind::Text)
        return fail_at(source_, node.column, "one argument of {}() must be a \"text\"", node.text);
    return std::pair{subject, literal};
}

// wstr(p[, n]): characters of 4 bytes if p points to such, as wchar_t and char32_t, else UTF-16.
Result<ExprRef> Checker::wide_text(const Node &node)
{
    ExprRef address = TRY(integer(*node.children[0]));
    const types::TypeRef &target = address->type->target;
    if (address->type->size != 8)
        return fail_at(source_, node.children[0]->column, "{} is not a pointer",
                       address->type->name);
    if (target && (target->kind != types::Type::Kind::Integer || target->size == 1))
        return fail_at(source_, node.children[0]->column,
                       "this points to {}, not to wide characters: cast it, as in (char16_t *)arg1",
                       target->name);
    uint8_t wide = target && target->size == sizeof(char32_t) ? sizeof(char32_t) : sizeof(char16_t);
    if (node.children.size() == 1)
        return wide_at(address, wide);
    types::TypeRef type = types::integer_type(8, true);
    ExprRef count = make_convert(TRY(integer(*node.children[1])), type);
    ExprRef bytes = make_constant(wide, type, node.column);
    Expr text = *wide_at(address, wide);
    text.children.push_back(make_binary(Op::Multiply, count, bytes, type, node.column));
    text.source = TextSource::Counted;
    return make(std::move(text));
}

ExprRef Checker::wide_text(const ExprRef &value)
{
    const types::Type &type = *value->type;
    bool is_pointer = type.kind == types::Type::Kind::Pointer && !type.is_reference;
    bool is_wide = is_pointer && type.target && value->op != Op::Text &&
                   value->op != Op::Unsupported &&
                   std::find(wide_characters.begin(), wide_characters.end(), type.target->name) !=
                       wide_characters.end();
    return is_wide ? wide_at(value, type.target->size) : nullptr;
}

// STRCMP, starts_with, ends_with, contains
Result<ExprRef> Checker::text_test(const Node &node)
{
    auto [subject, literal] = TRY(value_and_text(node));
    TextMatch match = node.text == "starts_with" ? TextMatch::Start
                      : node.text == "ends_with" ? TextMatch::End
                      : node.text == "contains"  ? TextMatch::Inside
                                                 : TextMatch::Whole;
    return text_equal(*subject, *literal, match, node);
}

// strcmp(s, "text"), strncmp(s, "text", n), memcmp(p, "bytes"[, n]): 0 if they are equal, else 1.
Result<ExprRef> Checker::compared(const Node &node)
{
    auto [subject, literal] = TRY(value_and_text(node));
    Node text = {.kind = NodeKind::Text, .column = literal->column, .text = literal->text};
    if (node.children.size() == 3) {
        ExprRef count = TRY(integer(*node.children[2]));
        if (count->op != Op::Constant || count->number == 0)
            return fail_at(source_, node.children[2]->column,
                           "the number of bytes must be constant, and at least 1");
        if (node.text == "memcmp" && count->number > text.text.size())
            return fail_at(source_, node.children[2]->column,
                           "the bytes to compare with are only {}", text.text.size());
        bool is_whole = count->number > text.text.size();  // also the NUL is compared
        text.text.resize(std::min<uint64_t>(count->number, text.text.size()));
        if (node.text == "strncmp")
            return unequal(TRY(
                text_equal(*subject, text, is_whole ? TextMatch::Whole : TextMatch::Start, node)));
    }
    if (node.text == "strcmp")
        return unequal(TRY(text_equal(*subject, text, TextMatch::Whole, node)));
    if (text.text.empty())
        return fail_at(source_, literal->column, "there is nothing to compare with");
    ExprRef address = TRY(integer(*subject));
    if (address->type->size != 8)
        return fail_at(source_, subject->column, "{} is not a pointer", address->type->name);
    return unequal(TRY(bytes_equal(address, text, node)));
}

ExprRef Checker::unequal(const ExprRef &equal)
{
    return make_unary(Op::Not, equal, types::integer_type(4, true), equal->column);
}

Result<ExprRef> Checker::length(const Node &node)
{
    ExprRef value = TRY(any(*node.children[0]));
    if (value->op == Op::Unsupported)
        return value;
    value = TRY(text(value));
    if (value->op != Op::Text || value->source != TextSource::Counted)
        return fail_at(source_, node.column,
                       "len() takes a text that knows its length, such as a std::string; the "
                       "length of a C string is not known");
    return make_convert(value->children[1], types::integer_type(8, false));
}

Result<ExprRef> Checker::swapped(const Node &node)
{
    ExprRef value = TRY(integer(*node.children[0]));
    uint64_t size = value->type->size;
    if (size < 2)
        return fail_at(source_, node.column, "bswap() takes an integer of 2, 4 or 8 bytes, not {}",
                       value->type->name);
    types::TypeRef type = types::integer_type(size, false);
    return make_unary(Op::SwapBytes, make_convert(value, type), type, node.column);
}

// ntop(p) of a pointer to a structure that begins as struct sockaddr does; ntop(x) of an IPv4
// address, an integer of 4 bytes in network order; ntop(a) of an array or structure of 4 or 16
// bytes.
Result<ExprRef> Checker::network_address(const Node &node)
{
    ExprRef value = TRY(any(*node.children[0]));
    if (value->op == Op::Unsupported)
        return value;
    const types::Type &type = *value->type;
    using Kind = types::Type::Kind;
    bool is_address = type.size == 4 || type.size == 16;
    auto marked = [](Expr expr) {
        expr.is_address = true;
        return make(std::move(expr));
    };
    if (value->op == Op::Text && value->source == TextSource::ContextArray &&
        (value->bound == 4 || value->bound == 16)) {
        Expr bytes = *value;
        bytes.is_bytes = true;
        return marked(std::move(bytes));
    }
    if (type.kind == Kind::Integer && type.size == 4)
        return marked({.op = Op::Parts,
                       .type = value->type,
                       .column = node.column,
                       .children = {value},
                       .offsets = {0}});
    if (value->op == Op::Parts && is_address)
        return marked(*value);
    uint64_t bytes = type.size;
    ExprRef address;
    bool is_memory = (type.kind == Kind::Struct || type.kind == Kind::Array) && is_address;
    if (is_memory && value->op == Op::Load) {
        address = address_of(*value);
    } else {
        address = TRY(integer(value));
        const types::TypeRef &target = address->type->target;
        bytes = target && (target->name.ends_with("in_addr") || target->name.ends_with("in6_addr"))
                    ? target->size
                    : socket_address_bytes;
    }
    if (address->type->size != 8)
        return fail_at(source_, node.column,
                       "ntop() takes a pointer to a socket's address, or an IP address of 4 or 16 "
                       "bytes");
    return marked(
        {.op = Op::Text,
         .type = value->type,
         .column = node.column,
         .children = {address, make_constant(bytes, types::integer_type(8, false), node.column)},
         .space = address->space,
         .source = TextSource::Counted,
         .is_bytes = true});
}

// port(p) of a pointer to a socket's address; port(n) of a port in network order.
Result<ExprRef> Checker::port(const Node &node)
{
    ExprRef value = TRY(integer(*node.children[0]));
    types::TypeRef type = types::integer_type(2, false);
    if (value->type->size == 8)
        value = make_load(value, port_at, type, node.column);
    else if (value->type->size != 2)
        return fail_at(source_, node.column,
                       "port() takes a pointer to a socket's address, or a port of 2 bytes, not {}",
                       value->type->name);
    return make_unary(Op::SwapBytes, make_convert(value, type), type, node.column);
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
