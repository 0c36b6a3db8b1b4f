// Finds registers by their names in USDT notes and probes, and where the kernel's pt_regs keeps
// them. struct pt_regs (user_pt_regs on arm64) is UAPI: its layout never changes, so this needs no
// CO-RE.
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

// find_register() knows "rdi", "edi", "di", "dil", "ah", "r8d", "rip"; "x0", "w0", "sp", "pc", with
// or without '%'. pt_regs_field() also knows the names in pt_regs ("ax", "ip", "orig_ax"), of whole
// registers only. Both return nullopt for anything else (xmm0 …).
std::optional<Register> find_register(Machine machine, std::string_view name);
std::optional<Register> pt_regs_field(Machine machine, std::string_view field);
// Returns the name in pt_regs of the register at this offset ("ax", "x19").
std::string pt_regs_name(Machine machine, uint16_t pt_regs_offset);

Register stack_pointer(Machine machine);
Register instruction_pointer(Machine machine);
Register return_value(Machine machine);

// Returns the register of the n-th integer argument (1-based) at a function's first instruction;
// nullopt if it is on the stack.
std::optional<Register> argument_register(Machine machine, unsigned n);
// Returns the n-th register (1-based) for integers and pointers of Go's own convention; nullopt if
// there is none.
std::optional<Register> go_register(Machine machine, unsigned n);
// Returns the offset of the n-th argument from the stack pointer at the function's entry, for one
// that is not in a register.
int64_t argument_stack_offset(Machine machine, unsigned n);

}  // namespace uscope::abi
