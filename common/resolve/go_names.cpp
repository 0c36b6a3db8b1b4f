// Resolves the names that exist only in Go: words of arguments, results by names and numbers, nil,
// and the current goroutine. (dwarf/go_calling.cpp knows where Go passes values.) For example,
// these names mean the registers after them:
//
//     func work(n int) (half int, err error)
//     r:…:main.work    half, retval, retval0: rax      err, retval1: rbx, rcx (an interface)
#include <elf.h>

#include "base/format.h"
#include "base/text.h"
#include "elf/pclntab.h"
#include "go/goroutine.h"
#include "resolve/go_goroutine.h"
#include "resolve/names.h"
#include "resolve/operand.h"

namespace uscope::resolve {
namespace {

// "retval1" -> 1
std::optional<unsigned> result_number(std::string_view name)
{
    constexpr std::string_view word = "retval";
    if (!name.starts_with(word) || name.size() == word.size() || name.size() > word.size() + 2)
        return std::nullopt;
    std::string_view digits = name.substr(word.size());
    if (digits.find_first_not_of("0123456789") != digits.npos ||
        (digits.size() > 1 && digits[0] == '0'))
        return std::nullopt;
    return parse_number(digits);
}

}  // namespace

Names::Found Names::go_name(std::string_view name)
{
    if (name == "$goid")
        return go_goroutine_id();
    if (name == "nil") {
        abi::Operand zero;
        zero.kind = abi::Operand::Kind::Constant;
        return expr::Variable{types::integer_type(8, false), zero};
    }
    return std::nullopt;
}

Names::Found Names::go_name_at_return(std::string_view name)
{
    if (auto found = TRY(go_name(name)))
        return found;
    bool is_first = name == "retval" || name == "$retval";
    if (auto n = is_first ? 0 : result_number(name))
        return go_result(*n, name);
    if (group_.site_count() == 1 && function()) {
        for (const auto &result : function()->results) {
            if (result.name == name)
                return go_value(result, name);
        }
    }
    return std::nullopt;
}

// Is the function written in assembly? Then its name does not show which calling convention it has.
bool Names::is_go_assembly()
{
    if (!is_go_assembly_) {
        const FileSites &file = group_.files[0];
        auto table = file.image->go_functions();
        is_go_assembly_ = table && table->is_assembly(file.sites[0].function_vaddr);
    }
    return *is_go_assembly_;
}

// Returns the n-th word of the arguments, counted from 1: a string has two words, a slice three.
Names::Found Names::go_argument(unsigned n)
{
    const std::string &name = group_.files[0].sites[0].name;
    if (machine_ != abi::Machine::X86_64)
        return fail("arg{}: arguments of Go functions are supported on x86-64 only", n);
    bool in_registers = go::passes_in_registers(*group_.files[0].image) && !name.ends_with(".abi0");
    abi::Operand operand;
    if (!in_registers && probe_.offset) {
        return fail("arguments of {} are on the stack, where they can only be found at its entry",
                    name);
    }
    if (in_registers && is_go_assembly()) {
        return fail(
            "arg{}: {} is written in assembly, so its arguments may be in registers or on the "
            "stack; see its source and use reg(\"rax\") or *(long *)(reg(\"rsp\") + 8)",
            n, name);
    }
    if (!in_registers) {
        operand.kind = abi::Operand::Kind::Memory;
        operand.base = abi::stack_pointer(machine_);
        operand.value = int64_t{n} * 8;
        return expr::Variable{untyped(), operand};
    }
    auto reg = abi::go_register(machine_, n);
    if (!reg)
        return fail("Go passes at most 9 words in registers: name the argument");
    operand.kind = abi::Operand::Kind::Register;
    operand.base = *reg;
    return expr::Variable{untyped(), operand};
}

Names::Found Names::typed_go_argument(unsigned n, types::TypeRef type)
{
    auto found = TRY(go_argument(n));
    if (!found)
        return found;
    auto &operand = std::get<abi::Operand>(found->source);
    set_size(operand, *type);
    found->type = std::move(type);
    return found;
}

// Returns the n-th result, counted from 0. If types are unknown, or several functions are traced,
// only the result in the first register is available.
Names::Found Names::go_result(unsigned n, std::string_view name)
{
    const std::string &function_name = group_.files[0].sites[0].name;
    if (group_.site_count() == 1 && function()) {
        const auto &results = function()->results;
        if (n < results.size())
            return go_value(results[n], name);
        if (results.empty())
            return fail("{}: {} returns nothing", name, function_name);
        return fail("{}: {} returns {} value{}, retval0{}", name, function_name, results.size(),
                    results.size() == 1 ? "" : "s",
                    results.size() == 1 ? "" : fmt::format(" to retval{}", results.size() - 1));
    }
    if (!go::passes_in_registers(*group_.files[0].image)) {
        return fail(
            "{}: before Go 1.17 results are on the stack after the arguments: name one function "
            "that has debug information, or read the stack: *(long *)(reg(\"rsp\") + 24) after "
            "two words of arguments",
            name);
    }
    if (group_.site_count() > 1 && n > 0) {
        return fail(
            "{}: the {} traced functions may return it in different registers: "
            "name one function, or a register as in reg(\"rbx\")",
            name, group_.site_count());
    }
    if (n > 0) {
        return fail(
            "{}: the file has no debug information: the results are in "
            "reg(\"rax\"), reg(\"rbx\"), reg(\"rcx\") ..., an error in two of them",
            name);
    }
    if (group_.site_count() == 1 && is_go_assembly())
        return fail("{}: {} is written in assembly, so it is unknown where it returns values", name,
                    function_name);
    abi::Operand operand;
    operand.kind = abi::Operand::Kind::Register;
    operand.base = abi::return_value(machine_);
    return expr::Variable{untyped(), operand};
}

// Returns a parameter or result, which is located by Go's calling convention.
Names::Found Names::go_value(const dwarf::Parameter &value, std::string_view name) const
{
    const dwarf::GoLocation &location = *value.go;
    const types::Type &type = *value.type;
    bool is_whole = type.kind == types::Type::Kind::Struct || type.kind == types::Type::Kind::Array;
    if (!location.is_known)
        return fail("it is unknown how {} is passed", name);
    if (location.stack && probe_.offset)
        return fail("{} is on the stack, where it can only be found at the entry", name);
    if (location.stack) {
        abi::Operand operand;
        operand.kind = abi::Operand::Kind::Memory;
        operand.base = abi::stack_pointer(machine_);
        operand.value = 8 + *location.stack;
        set_size(operand, type);
        operand.is_float = type.kind == types::Type::Kind::Float;
        if (operand.is_float)
            operand.size = type.size;
        return expr::Variable{value.type, operand};
    }
    auto in_register = [&](unsigned slot) {
        abi::Operand operand;
        if (auto reg = abi::go_register(machine_, slot)) {
            operand.kind = abi::Operand::Kind::Register;
            operand.base = *reg;
        } else {
            operand.why = "it is in a floating-point register, which probes cannot read";
        }
        return operand;
    };
    if (!is_whole && location.parts.size() == 1) {
        abi::Operand operand = in_register(location.parts[0].slot);
        if (!operand.why.empty())
            return fail("{}: {}", name, operand.why);
        set_size(operand, type);
        return expr::Variable{value.type, operand};
    }
    expr::Parts parts;
    for (const auto &[offset, slot] : location.parts)
        parts.parts.push_back({offset, in_register(slot)});
    return expr::Variable{value.type, std::move(parts)};
}

// $goid: the ID of the current goroutine.
Names::Found Names::go_goroutine_id()
{
    const elf::Image &image = *group_.files[0].image;
    auto version = go::version_of(image);
    uint64_t offset = version ? go::goroutine_id_offset(*version).value_or(0) : 0;
    if (!offset && debug()) {
        types::TypeRef g = debug()->find_type("struct runtime.g");
        auto member = g && g->find_member ? g->find_member("goid") : std::nullopt;
        if (member)
            offset = member->offset;
    }
    if (!offset)
        return fail("$goid: without debug information, only Go 1.15 to 1.27 is supported");
    auto id = go_goroutine(image, offset);
    if (!id)
        return fail("$goid: {}", id.error().text);
    return *id;
}

// Returns the file addresses of the probed instructions (Scope::code) if the program may be loaded
// at any address; else nothing.
std::vector<uint64_t> Names::probed_code() const
{
    std::vector<uint64_t> code;
    const FileSites &file = group_.files[0];
    if (file.image->type() != ET_DYN)
        return code;
    for (const Site &site : file.sites) {
        if (!group_.is_go_return())
            code.push_back(site.vaddr);
        if (!is_go_)  // what needs the bias is read at the entry
            continue;
        for (uint64_t offset : site.return_offsets)
            code.push_back(site.vaddr + offset - site.file_offset);
    }
    return code;
}

}  // namespace uscope::resolve
