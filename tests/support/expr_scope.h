// The scopes for tests of expressions: variables in registers of all widths, a structure in memory,
// a string, special cases, and the fields of a tracepoint.
#pragma once

#include <map>

#include "expr/record.h"
#include "expr/scope.h"

namespace uscope::test {

// struct node {                       offset
//     int id;                              0
//     unsigned char flags;                 4   (a number, not a character)
//     unsigned low : 3; int high : 5;      5
//     char name[16];                       8
//     const char *text;                   24
//     struct node *next;                  32
//     short list[4];                      40
//     double real;                        48
//     struct { long y; } inner;           56
//     unsigned long cross : 12;           64, from bit 6: it extends over three bytes
//     };                                  72 bytes
inline types::TypeRef node_type()
{
    using types::Member;
    using types::Type;
    static const types::TypeRef type = [] {
        auto node = std::make_shared<types::Type>();
        auto inner = std::make_shared<types::Type>();
        inner->kind = node->kind = types::Type::Kind::Struct;
        inner->name = "struct inner";
        inner->size = 8;
        inner->find_member = [](std::string_view name) -> std::optional<Member> {
            if (name != "y")
                return std::nullopt;
            return Member{"y", types::integer_type(8, true)};
        };
        node->name = "struct node";
        node->size = 72;
        auto array = [](types::TypeRef element, uint64_t count) {
            auto made = std::make_shared<types::Type>();
            made->kind = types::Type::Kind::Array;
            made->name = element->name + " []";
            made->size = element->size * count;
            made->target = element;
            return made;
        };
        types::TypeRef chars = array(types::parse_type("char"), 16);
        types::TypeRef list = array(types::integer_type(2, true), 4);
        std::weak_ptr<const types::Type> self =
            node;  // a structure that points to itself must not own itself
        node->member_names = [] {
            return std::vector<std::string>{"id", "flags", "low", "high", "name", "text", "next"};
        };
        node->find_member = [=](std::string_view name) -> std::optional<Member> {
            const std::map<std::string_view, Member> members = {
                {"id", {"id", types::integer_type(4, true), 0}},
                {"flags", {"flags", types::integer_type(1, false), 4}},
                {"low", {"low", types::integer_type(4, false), 5, 0, 3}},
                {"high", {"high", types::integer_type(4, true), 5, 3, 5}},
                {"name", {"name", chars, 8}},
                {"text", {"text", types::char_pointer(), 24}},
                {"next", {"next", types::pointer_to(self.lock()), 32}},
                {"list", {"list", list, 40}},
                {"real", {"real", types::parse_type("double"), 48}},
                {"inner", {"inner", inner, 56}},
                {"cross", {"cross", types::integer_type(8, false), 64, 6, 12}},
            };
            auto found = members.find(name);
            if (found == members.end())
                return std::nullopt;
            return found->second;
        };
        return node;
    }();
    return type;
}

inline abi::Operand register_operand(std::string_view name, uint8_t size, bool is_signed)
{
    abi::Operand operand;
    operand.kind = abi::Operand::Kind::Register;
    operand.size = size;
    operand.is_signed = is_signed;
    operand.base = abi::find_register(abi::Machine::X86_64, name).value();
    return operand;
}

// Returns a variable by name: arg1-arg3 (rdi, rsi, rdx, untyped), retval (rax), i (int in r8d), u
// (unsigned in r9d), h (short in r10w), b (uint8_t in %ah), l (long in rbx), p (struct node * in
// rdi), path (char * in rsi), on_stack (int at rsp + 8), item (long at rbx + rcx * 8 - 16), seven
// (the constant 7), odd (a value that cannot be read).
inline std::optional<expr::Variable> test_variable(std::string_view name)
{
    using abi::Operand;
    auto variable = [](types::TypeRef type, Operand operand) {
        return expr::Variable{std::move(type), std::move(operand)};
    };
    if (name == "arg1" || name == "p" || name == "retval")
        return variable(
            name == "p" ? types::pointer_to(node_type()) : types::integer_type(8, false),
            register_operand(name == "retval" ? "rax" : "rdi", 8, false));
    if (name == "arg2" || name == "path")
        return variable(name == "path" ? types::char_pointer() : types::integer_type(8, false),
                        register_operand("rsi", 8, false));
    if (name == "arg3")
        return variable(types::integer_type(8, false), register_operand("rdx", 8, false));
    if (name == "i")
        return variable(types::integer_type(4, true), register_operand("r8d", 4, true));
    if (name == "u")
        return variable(types::integer_type(4, false), register_operand("r9d", 4, false));
    if (name == "h")
        return variable(types::integer_type(2, true), register_operand("r10w", 2, true));
    if (name == "b")
        return variable(types::integer_type(1, false), register_operand("ah", 1, false));
    if (name == "l")
        return variable(types::integer_type(8, true), register_operand("rbx", 8, true));
    static const std::map<std::string_view, std::string_view> texts = {
        {"string", "std::string *"},
        {"old_string", "std::basic_string<char, std::char_traits<char>, std::allocator<char> > *"},
        {"libcxx_string",
         "std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char> > *"},
        {"view", "std::basic_string_view<char, std::char_traits<char> > const*"},
        {"chars", "std::vector<char, std::allocator<char> > *"},
    };
    if (auto text = texts.find(name); text != texts.end())
        return variable(types::parse_type(text->second), register_operand("rdi", 8, false));
    if (name == "color") {
        auto type = std::make_shared<types::Type>(*types::integer_type(4, true));
        type->constant_value = [](std::string_view constant) -> std::optional<int64_t> {
            if (constant == "red" || constant == "green")
                return constant == "red" ? 3 : 5;
            return std::nullopt;
        };
        return variable(type, register_operand("r8d", 4, true));
    }
    Operand operand;
    if (name == "seven") {
        operand.kind = Operand::Kind::Constant;
        operand.size = 4;
        operand.value = 7;
        return variable(types::integer_type(4, true), operand);
    }
    if (name == "on_stack" || name == "item") {
        operand = register_operand(name == "item" ? "rbx" : "rsp", 8, false);
        operand.kind = Operand::Kind::Memory;
        operand.is_signed = true;
        operand.size = name == "item" ? 8 : 4;
        operand.value = name == "item" ? -16 : 8;
        if (name == "item") {
            operand.has_index = true;
            operand.index = abi::find_register(abi::Machine::X86_64, "rcx").value();
            operand.scale = 8;
        }
        return variable(types::integer_type(operand.size, true), operand);
    }
    if (name == "odd") {
        operand.why = "it is in %xmm0";
        return variable(types::integer_type(8, false), operand);
    }
    return std::nullopt;
}

inline expr::Scope test_scope()
{
    expr::Scope scope;
    scope.moment = expr::Scope::Moment::Entry;
    scope.machine = abi::Machine::X86_64;
    scope.find = [](std::string_view name) -> Result<std::optional<expr::Variable>> {
        return test_variable(name);
    };
    scope.find_type = [](std::string_view name) -> types::TypeRef {
        return name == "struct node" || name == "node" ? node_type() : nullptr;
    };
    scope.names = [] {
        return std::vector<std::string>{"arg1", "arg2", "arg3", "path", "on_stack"};
    };
    return scope;
}

// The scope of a tracepoint with the fields nr (int at offset 8 of the record), filename (char * at
// 16), comm (char[12] at 24), where (data_loc at 36), values (int[2] at 40), odd (long at 52, not
// aligned).
inline expr::Scope tracepoint_scope()
{
    expr::Scope scope;
    scope.kernel_memory = true;
    scope.find_field = [](std::string_view name) -> Result<std::optional<expr::Variable>> {
        auto array = [](types::TypeRef element, uint64_t size) {
            auto type = std::make_shared<types::Type>();
            type->kind = types::Type::Kind::Array;
            type->target = std::move(element);
            type->size = size;
            return type;
        };
        using expr::ContextField;
        using expr::Variable;
        if (name == "nr")
            return Variable{types::integer_type(4, true), ContextField{8, 4, true, false, false}};
        if (name == "filename")
            return Variable{types::char_pointer(), ContextField{16, 8, false, false, false}};
        if (name == "comm")
            return Variable{array(types::parse_type("char"), 12),
                            ContextField{24, 12, false, true, false}};
        if (name == "where")
            return Variable{array(types::parse_type("char"), 0),
                            ContextField{36, 4, false, false, true}};
        if (name == "values")
            return Variable{array(types::integer_type(4, true), 8),
                            ContextField{40, 8, true, true, false}};
        if (name == "odd")
            return Variable{types::integer_type(8, true), ContextField{52, 8, true, false, false}};
        return std::nullopt;
    };
    scope.names = [] {
        return std::vector<std::string>{"nr", "filename", "comm", "where", "values", "odd"};
    };
    return scope;
}

}  // namespace uscope::test
