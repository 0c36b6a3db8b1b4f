// Finds a register by its name in a USDT note or in a user's probe, and its offset in struct
// pt_regs (user_pt_regs on arm64), where BPF programs read the registers. The layout of this
// structure is UAPI and never changes, so reading it needs no CO-RE relocation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace uscope::abi {

enum class Machine : uint8_t { X86_64, Aarch64 };

#if defined(__aarch64__)
constexpr Machine host_machine = Machine::Aarch64;
#else
constexpr Machine host_machine = Machine::X86_64;
#endif

std::optional<Machine> machine_of(uint16_t elf_machine);  // from e_machine

// A whole or partial register.
struct Register {
    uint16_t pt_regs_offset;  // offset in bytes of the full 8-byte register in pt_regs
    uint8_t size;             // bytes to use: 1, 2, 4, 8
    uint8_t shift;            // bits to shift right first: 8 for %ah, else 0
};

// find_register() accepts the names of assemblers, with or without '%': "rdi", "edi", "di", "dil",
// "ah", "r8d", "rip" on x86-64; "x0", "w0", "sp", "pc" on arm64. pt_regs_field() accepts whole
// 8-byte registers only, by these names (without '%') or by the kernel's names of the fields of
// pt_regs: "ax", "ip", "orig_ax". Both return nullopt for other names, such as xmm0.
std::optional<Register> find_register(Machine machine, std::string_view name);
std::optional<Register> pt_regs_field(Machine machine, std::string_view field);
// Returns the kernel's name of the register at this offset in bytes: "ax", "x19"; "?" for an offset
// after the last register of x86-64.
std::string pt_regs_name(Machine machine, uint16_t pt_regs_offset);

// Returns the integer register that debug information means by this number (System V psABI 3.6.2;
// DWARF for the Arm 64-bit Architecture, 4.1); nullopt for others, such as vector registers.
std::optional<Register> dwarf_register(Machine machine, unsigned number);

Register stack_pointer(Machine machine);
Register instruction_pointer(Machine machine);
Register return_value(Machine machine);

// Returns the register that holds the n-th integer argument (1-based) of a C function at its first
// instruction; nullopt if that argument is on the stack.
std::optional<Register> argument_register(Machine machine, unsigned n);
// Returns the n-th of the 9 registers (1-based) in which Go passes integers and pointers on x86-64;
// nullopt for other n and on other machines.
std::optional<Register> go_register(Machine machine, unsigned n);
// Returns the offset in bytes of the n-th argument, which must not be in a register, from the stack
// pointer at the function's first instruction.
int64_t argument_stack_offset(Machine machine, unsigned n);

}  // namespace uscope::abi
