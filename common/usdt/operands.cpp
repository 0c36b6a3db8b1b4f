// Parses the text with which a USDT note describes a probe's arguments.
//
// sys/sdt.h passes the arguments as operands to an asm statement. The compiler replaces each with
// its location, written as the operand of an instruction, and the assembler stores the text as a
// string. So the grammar is that of the assembler's operands, each after its size:
//
//     arguments  ::= { argument } separated by blanks
//     argument   ::= [ ["-"] SIZE ["f"] "@" ] operand          "-": signed, "f": floating point
//
//     x86-64     operand ::= "$" sum                                     constant
//                          | "%" REG                                     register or part of one
//                          | [sum] "(" [%BASE] ["," [%INDEX] ["," SCALE]] ")"      memory
//                          | sum                                         memory at that address
//     AArch64    operand ::= ["#"] sum                                   constant
//                          | REG
//                          | "[" REG ["," OFFSET | "," REG ["," "lsl" ["#"] N]] "]"    memory
//                            (also "[REG, OFFSET]!" and "[REG], OFFSET": nothing is written back)
//     sum        ::= ["-"] term { ("+"|"-") term }      term: a number; one may be a symbol
//
// Worked example, `-4@40+CheckpointStats(%rip) 8@152(%rbx) 4@%r12` (of PostgreSQL and of OpenJDK):
//  1. signed, 4 bytes, in memory, 40 bytes after the start of the variable CheckpointStats. Its
//    address and that of the probe are in the file, so the operand becomes "instruction pointer +
//    distance", which is valid wherever the file is loaded.
//  2. unsigned, 8 bytes, in memory at rbx + 152.
//  3. unsigned, the low 4 bytes of r12.
// The size is the number before '@', even if the register's name means another one (sys/sdt.h says
// so: GNU bug PR24541). Only notes written by hand have no such number; the size is then that of
// the register, or 8 bytes. `16@%rax` is a structure in two registers, of which the note names only
// the first.
#include "usdt/operands.h"

#include <algorithm>

#include <elf.h>

#include "base/format.h"
#include "base/text.h"
#include "elf/variables.h"
#include "usdt/operand_text.h"

namespace uscope::usdt {

using abi::Machine;
using abi::Operand;
using abi::Register;

namespace {

// Converts a constant to the argument's size and signedness: compilers write an unsigned 4-byte
// 0xffffffff as $-1.
int64_t extend(int64_t value, unsigned size, bool is_signed)
{
    if (size >= 8)
        return value;
    unsigned unused = 64 - size * 8;
    uint64_t high = static_cast<uint64_t>(value) << unused;
    return is_signed ? static_cast<int64_t>(high) >> unused : static_cast<int64_t>(high >> unused);
}

constexpr const char *unknown_format = "its format is unknown";

// Parses one argument. Functions that return a std::string return the reason why a probe cannot
// read the operand, or "" on success.
class ArgumentParser {
  public:
    ArgumentParser(std::string_view text, const OperandContext &context)
        : context_(context), in_(text)
    {
        noted_.text = text;
    }

    NotedOperand parse()
    {
        std::string why = size_and_operand();
        if (why.empty() && !in_.at_end())
            why = unknown_format;
        if (!why.empty()) {
            operand_ = {};
            operand_.why = std::move(why);
        }
        return std::move(noted_);
    }

  private:
    struct Sum {
        uint64_t number = 0;  // negative numbers wrap around
        std::string_view symbol;
    };

    std::string size_and_operand()
    {
        bool sized = false;
        if (auto prefix = size_prefix(noted_.text)) {
            sized = true;
            in_ = Cursor(noted_.text.substr(prefix->length));
            if (!set_size(*prefix))
                return fmt::format("values of {} bytes cannot be read", prefix->digits);
        }
        std::string why = context_.machine == Machine::X86_64 ? x86_operand() : arm_operand();
        if (!why.empty())
            return why;
        if (operand_.kind == Operand::Kind::Constant)
            operand_.value = extend(operand_.value, operand_.size, operand_.is_signed);
        if (operand_.kind == Operand::Kind::Register) {
            if (!sized)
                operand_.size = operand_.base.size;
            if (operand_.base.shift && operand_.size > 1)
                return "it is wider than its register";
            operand_.base.size = operand_.size;
        }
        if (!sized)
            noted_.size = operand_.size;
        return "";
    }

    // Returns false if the size is unsupported. If the value is larger than a register (a structure
    // passed by value), the operand becomes its first 8 bytes.
    bool set_size(const SizePrefix &prefix)
    {
        constexpr uint64_t word = 8;
        auto size = parse_number(prefix.digits);
        bool is_large = size && *size > word && !prefix.is_float;
        bool known = size && (*size == 1 || *size == 2 || *size == 4 || *size == word);
        if (!is_large && (!known || (prefix.is_float && *size < 4)))
            return false;
        noted_.size = *size;
        operand_.size = std::min(*size, word);
        operand_.is_signed = prefix.is_signed;
        operand_.is_float = prefix.is_float;
        return true;
    }

    std::string x86_operand()
    {
        if (in_.take("$")) {
            operand_.kind = Operand::Kind::Constant;
            return constant();
        }
        if (in_.next() == '%') {
            std::string_view name = register_name();
            if (in_.next() == ':')
                return fmt::format("thread-local storage ({}:) cannot be read", name);
            return set_register(name);
        }
        Sum sum;
        if (in_.next() != '(' && !take_sum(sum))
            return unknown_format;
        operand_.kind = Operand::Kind::Memory;
        if (in_.take("("))
            return x86_memory(sum);
        return without_base(sum);
    }

    // Parses the text after the "(" in disp(base,index,scale). `sum`: the displacement.
    std::string x86_memory(const Sum &sum)
    {
        bool has_base = in_.next() == '%';
        std::string_view base = has_base ? register_name() : "";
        if (in_.take(",") && in_.next() == '%') {
            operand_.has_index = true;
            if (auto why = address_register(register_name(), operand_.index); !why.empty())
                return why;
            if (in_.take(",")) {
                auto scale = parse_number(in_.take_while(is_number_part));
                if (!scale || (*scale != 1 && *scale != 2 && *scale != 4 && *scale != 8))
                    return "its scale is not 1, 2, 4 or 8";
                operand_.scale = *scale;
            }
        }
        if (!in_.take(")"))
            return "its brackets do not match";
        if (base == "%rip") {
            if (sum.symbol.empty() || operand_.has_index)
                return "it is relative to the instruction pointer but names no symbol";
            return set_relative_to_ip(sum);
        }
        if (!has_base)
            return without_base(sum);
        if (auto why = address_register(base, operand_.base); !why.empty())
            return why;
        return sum.symbol.empty() ? set_displacement(sum.number) : set_fixed_address(sum);
    }

    std::string arm_operand()
    {
        if (in_.take("["))
            return arm_memory();
        if (in_.take("#") || is_digit(in_.next()) || in_.next() == '-' || in_.next() == '+') {
            operand_.kind = Operand::Kind::Constant;
            return constant();
        }
        std::string_view name = register_name();
        if (name == "xzr" || name == "wzr") {
            operand_.kind = Operand::Kind::Constant;
            return "";
        }
        return set_register(name);
    }

    // Parses the text after the "[".
    std::string arm_memory()
    {
        operand_.kind = Operand::Kind::Memory;
        if (auto why = address_register(register_name(), operand_.base); !why.empty())
            return why;
        if (in_.take(",")) {
            if (auto why = arm_offset(); !why.empty())
                return why;
        }
        if (!in_.take("]"))
            return "its brackets do not match";
        // Accepts "[REG, OFFSET]!" and "[REG], OFFSET" without their write-back: an instruction
        // would change the register, but a note is not executed.
        Sum ignored;
        if (!in_.take("!") && in_.take(",")) {
            in_.take("#");
            take_sum(ignored);
        }
        return "";
    }

    std::string arm_offset()
    {
        bool immediate = in_.take("#");
        bool low_bits = in_.take(":lo12:");
        if (!immediate && !low_bits && is_letter(in_.next())) {
            operand_.has_index = true;
            std::string_view name = register_name();
            if (auto why = address_register(name, operand_.index); !why.empty())
                return why;
            if (!in_.take(","))
                return "";
            if (!in_.take("lsl"))
                return "its index is extended from 32 bits";
            in_.take("#");
            auto shift = parse_number(in_.take_while(is_number_part));
            if (!shift || *shift > 3)
                return "its index is shifted by more than 3";
            operand_.scale = 1 << *shift;
            return "";
        }
        Sum sum;
        if (!take_sum(sum) || sum.symbol.empty() == low_bits)
            return "its offset is not a number";
        if (!low_bits)
            return set_displacement(sum.number);
        // ":lo12:symbol" is the symbol's offset in its page, and the base register holds the
        // address of that page. Files are loaded at page boundaries, so the offset is the same in
        // memory.
        uint64_t address = 0;
        if (auto why = find_symbol(sum, address); !why.empty())
            return why;
        return set_displacement(address & 0xfff);
    }

    std::string set_register(std::string_view name)
    {
        if (name.empty())
            return unknown_format;
        auto found = abi::find_register(context_.machine, name);
        if (!found)
            return fmt::format("the register {} cannot be read by a probe", name);
        operand_.kind = Operand::Kind::Register;
        operand_.base = *found;
        return "";
    }

    std::string address_register(std::string_view name, Register &into)
    {
        auto found = abi::find_register(context_.machine, name);
        if (!found || found->size != 8)
            return fmt::format("\"{}\" is not an address register", name);
        into = *found;
        return "";
    }

    std::string constant()
    {
        Sum sum;
        if (!take_sum(sum))
            return "it is not a number";
        return sum.symbol.empty() ? set_displacement(sum.number) : set_fixed_address(sum);
    }

    std::string set_displacement(uint64_t value)
    {
        operand_.value = static_cast<int64_t>(value);
        return "";
    }

    // Sets the displacement to the sum, which is an address in the file. Fails unless processes
    // load the file at the addresses that it contains.
    std::string set_fixed_address(const Sum &sum)
    {
        uint64_t address = sum.number;
        if (!sum.symbol.empty())
            if (auto why = find_symbol(sum, address); !why.empty())
                return why;
        if (!context_.fixed_addresses)
            return "it holds an address that differs from process to process";
        return set_displacement(address);
    }

    // Handles an operand in memory without a base register. The address of a symbol becomes
    // relative to the instruction pointer. A number is supported if an index register is added to
    // it, or if the file is always loaded at the same address.
    std::string without_base(const Sum &sum)
    {
        if (!sum.symbol.empty())
            return set_relative_to_ip(sum);
        operand_.has_base = false;
        return operand_.has_index ? set_displacement(sum.number) : set_fixed_address(sum);
    }

    std::string set_relative_to_ip(const Sum &sum)
    {
        uint64_t address = 0;
        if (auto why = find_symbol(sum, address); !why.empty())
            return why;
        operand_.base = abi::instruction_pointer(context_.machine);
        return set_displacement(address - context_.vaddr);
    }

    // Sets `into` to the symbol's address plus the number.
    std::string find_symbol(const Sum &sum, uint64_t &into)
    {
        auto found = context_.find_object ? context_.find_object(sum.symbol) : std::nullopt;
        if (!found)
            return fmt::format("the file has no symbol \"{}\"", sum.symbol);
        noted_.symbol_offset = sum.number;
        into = *found + sum.number;
        return "";
    }

    // Parses a sum of numbers and at most one symbol. Returns false if the text is anything else; a
    // symbol with a minus sign is not supported.
    bool take_sum(Sum &sum)
    {
        for (bool first = true;; first = false) {
            bool minus = in_.take("-");
            if (!minus && !in_.take("+") && !first)
                return true;
            if (is_digit(in_.next())) {
                auto number = parse_number(in_.take_while(is_number_part));
                if (!number)
                    return false;
                sum.number += minus ? -*number : *number;
            } else if (is_name_start(in_.next()) && !minus && sum.symbol.empty()) {
                sum.symbol = in_.take_while(is_name_part);
                noted_.symbol = sum.symbol;
            } else {
                return false;
            }
        }
    }

    std::string_view register_name()
    {
        return in_.take_while([](char c) { return is_number_part(c) || c == '%'; });
    }

    const OperandContext &context_;
    Cursor in_;
    NotedOperand noted_;
    Operand &operand_ = noted_.operand;
};

}  // namespace

std::vector<NotedOperand> parse_operands(std::string_view text, const OperandContext &context)
{
    std::vector<NotedOperand> operands;
    for (std::string_view argument : split_arguments(text))
        operands.push_back(ArgumentParser(argument, context).parse());
    return operands;
}

std::vector<NotedOperand> read_operands(const elf::Image &image, const Location &location,
                                        const elf::SymbolOptions &symbols)
{
    auto machine = abi::machine_of(image.machine());
    if (!machine)
        return {};
    OperandContext context;
    context.machine = *machine;
    context.vaddr = location.vaddr;
    context.fixed_addresses = image.type() == ET_EXEC;
    context.find_object = [&](std::string_view name) {
        return elf::find_object(image, name, symbols);
    };
    return parse_operands(location.arguments, context);
}

}  // namespace uscope::usdt
