// Tables of the registers of x86-64 and arm64.
#include "abi/registers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include <elf.h>

namespace uscope::abi {

namespace {

constexpr uint16_t word = 8;  // bytes of a register in pt_regs

// The names of one register of x86-64: of all 8 bytes (q), of its low 4, 2 and 1 bytes (d, w, b)
// and of its second-lowest byte (high). A name is empty if assemblers have none for that part.
struct X86Register {
    std::string_view q, d, w, b, high;
    std::string_view field;  // the kernel's name in pt_regs if it differs from `q`
};

// In the order of struct pt_regs.
constexpr std::array<X86Register, 21> x86_registers = {{
    {"r15", "r15d", "r15w", "r15b", "", ""},
    {"r14", "r14d", "r14w", "r14b", "", ""},
    {"r13", "r13d", "r13w", "r13b", "", ""},
    {"r12", "r12d", "r12w", "r12b", "", ""},
    {"rbp", "ebp", "bp", "bpl", "", "bp"},
    {"rbx", "ebx", "bx", "bl", "bh", "bx"},
    {"r11", "r11d", "r11w", "r11b", "", ""},
    {"r10", "r10d", "r10w", "r10b", "", ""},
    {"r9", "r9d", "r9w", "r9b", "", ""},
    {"r8", "r8d", "r8w", "r8b", "", ""},
    {"rax", "eax", "ax", "al", "ah", "ax"},
    {"rcx", "ecx", "cx", "cl", "ch", "cx"},
    {"rdx", "edx", "dx", "dl", "dh", "dx"},
    {"rsi", "esi", "si", "sil", "", "si"},
    {"rdi", "edi", "di", "dil", "", "di"},
    {"orig_rax", "", "", "", "", "orig_ax"},
    {"rip", "eip", "ip", "", "", "ip"},
    {"cs", "", "", "", "", ""},
    {"eflags", "", "", "", "", "flags"},
    {"rsp", "esp", "sp", "spl", "", "sp"},
    {"ss", "", "", "", "", ""},
}};

std::optional<Register> find_x86(std::string_view name)
{
    for (size_t i = 0; i < x86_registers.size(); ++i) {
        const X86Register &r = x86_registers[i];
        uint16_t offset = i * word;
        if (name == r.q)
            return Register{offset, 8, 0};
        if (name == r.d)
            return Register{offset, 4, 0};
        if (name == r.w)
            return Register{offset, 2, 0};
        if (name == r.b)
            return Register{offset, 1, 0};
        if (name == r.high)
            return Register{offset, 1, 8};
    }
    return std::nullopt;
}

std::optional<Register> find_x86_field(std::string_view field)
{
    for (size_t i = 0; i < x86_registers.size(); ++i) {
        const X86Register &r = x86_registers[i];
        if (field == r.q || field == r.field)
            return Register{static_cast<uint16_t>(i * word), 8, 0};
    }
    return std::nullopt;
}

// struct user_pt_regs: regs[31], sp, pc, pstate.
constexpr unsigned arm_general = 31;
constexpr uint16_t arm_sp = arm_general * word, arm_pc = arm_sp + word, arm_pstate = arm_pc + word;

// "0" … "30", without a sign or leading zeros.
std::optional<uint16_t> arm_number(std::string_view digits)
{
    unsigned number = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size() || number >= arm_general)
        return std::nullopt;
    if (digits.size() != (number < 10 ? 1 : 2))
        return std::nullopt;
    return number;
}

std::optional<Register> find_arm(std::string_view name)
{
    if (name == "sp")
        return Register{arm_sp, 8, 0};
    if (name == "wsp")
        return Register{arm_sp, 4, 0};
    if (name == "pc")
        return Register{arm_pc, 8, 0};
    if (name == "fp")
        return Register{29 * word, 8, 0};
    if (name == "lr")
        return Register{30 * word, 8, 0};
    if (name.empty() || (name[0] != 'x' && name[0] != 'w'))
        return std::nullopt;
    auto number = arm_number(name.substr(1));
    if (!number)
        return std::nullopt;
    return Register{static_cast<uint16_t>(*number * word),
                    static_cast<uint8_t>(name[0] == 'x' ? 8 : 4), 0};
}

std::optional<Register> find_arm_field(std::string_view field)
{
    if (field == "pstate")
        return Register{arm_pstate, 8, 0};
    if (field.starts_with("regs[") && field.ends_with("]"))
        if (auto number = arm_number(field.substr(5, field.size() - 6)))
            return Register{static_cast<uint16_t>(*number * word), 8, 0};
    auto found = find_arm(field);
    return found && found->size == 8 ? found : std::nullopt;
}

constexpr std::array<std::string_view, 6> x86_arguments = {"rdi", "rsi", "rdx", "rcx", "r8", "r9"};
constexpr unsigned arm_arguments = 8;  // x0 … x7

}  // namespace

std::optional<Machine> machine_of(uint16_t elf_machine)
{
    switch (elf_machine) {
    case EM_X86_64:
        return Machine::X86_64;
    case EM_AARCH64:
        return Machine::Aarch64;
    default:
        return std::nullopt;
    }
}

std::optional<Register> find_register(Machine machine, std::string_view name)
{
    if (name.starts_with('%'))
        name.remove_prefix(1);
    if (name.empty())
        return std::nullopt;
    return machine == Machine::X86_64 ? find_x86(name) : find_arm(name);
}

std::optional<Register> pt_regs_field(Machine machine, std::string_view field)
{
    if (field.empty())
        return std::nullopt;
    return machine == Machine::X86_64 ? find_x86_field(field) : find_arm_field(field);
}

std::string pt_regs_name(Machine machine, uint16_t pt_regs_offset)
{
    unsigned number = pt_regs_offset / word;
    if (machine == Machine::X86_64) {
        if (number >= x86_registers.size())
            return "?";
        const X86Register &r = x86_registers[number];
        return std::string(r.field.empty() ? r.q : r.field);
    }
    if (pt_regs_offset == arm_sp)
        return "sp";
    return pt_regs_offset == arm_pc ? "pc" : "x" + std::to_string(number);
}

std::optional<Register> dwarf_register(Machine machine, unsigned number)
{
    static constexpr std::array<std::string_view, 16> x86_64 = {
        "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
        "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
    constexpr unsigned arm64_sp = 31;
    if (machine == Machine::X86_64)
        return number < x86_64.size() ? find_register(machine, x86_64[number]) : std::nullopt;
    if (number == arm64_sp)
        return stack_pointer(machine);
    return number < arm64_sp ? find_register(machine, "x" + std::to_string(number)) : std::nullopt;
}

Register stack_pointer(Machine machine)
{
    return *(machine == Machine::X86_64 ? find_x86("rsp") : find_arm("sp"));
}

Register instruction_pointer(Machine machine)
{
    return *(machine == Machine::X86_64 ? find_x86("rip") : find_arm("pc"));
}

Register return_value(Machine machine)
{
    return *(machine == Machine::X86_64 ? find_x86("rax") : find_arm("x0"));
}

std::optional<Register> argument_register(Machine machine, unsigned n)
{
    if (n == 0)
        return std::nullopt;
    if (machine == Machine::X86_64)
        return n <= x86_arguments.size() ? find_x86(x86_arguments[n - 1]) : std::nullopt;
    if (n <= arm_arguments)
        return Register{static_cast<uint16_t>((n - 1) * word), 8, 0};
    return std::nullopt;
}

std::optional<Register> go_register(Machine machine, unsigned n)
{
    static constexpr std::array<std::string_view, 9> order = {"rax", "rbx", "rcx", "rdi", "rsi",
                                                              "r8",  "r9",  "r10", "r11"};
    if (machine != Machine::X86_64 || n == 0 || n > order.size())
        return std::nullopt;
    return find_x86(order[n - 1]);
}

int64_t argument_stack_offset(Machine machine, unsigned n)
{
    // At the entry, the stack pointer of x86-64 points to the return address; the first argument on
    // the stack follows it. On arm64, the stack pointer points to that argument itself.
    if (machine == Machine::X86_64)
        return (int64_t{n} - int64_t{x86_arguments.size()}) * word;
    return (int64_t{n} - int64_t{arm_arguments} - 1) * word;
}

}  // namespace uscope::abi
