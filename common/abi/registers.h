// Registers by the names that USDT notes and people use, and where the kernel's pt_regs keeps them.
// struct pt_regs (user_pt_regs on arm64) is UAPI: its layout never changes, so no CO-RE is needed.
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
    uint16_t pt_regs_offset;  // bytes into pt_regs of the full 8-byte register
    uint8_t size;             // 1, 2, 4, 8 bytes that are meant
    uint8_t shift;            // bits to shift right first: 8 for %ah, else 0
};

// "rdi", "edi", "di", "dil", "ah", "r8d", "rip"; "x0", "w0", "sp", "pc". With or without '%'. Names
// as in pt_regs ("ax", "ip", "orig_ax") are accepted by pt_regs_field(). Nothing for anything else
// (xmm0 …).
std::optional<Register> find_register(Machine machine, std::string_view name);
std::optional<Register> pt_regs_field(Machine machine, std::string_view field);
// The other way round: what pt_regs calls the register at that offset ("ax", "x19").
std::string pt_regs_name(Machine machine, uint16_t pt_regs_offset);

Register stack_pointer(Machine machine);
Register instruction_pointer(Machine machine);
Register return_value(Machine machine);

// The calling convention's n-th integer argument (1-based) at a function's first instruction:
// a register, or nothing when it is on the stack.
std::optional<Register> argument_register(Machine machine, unsigned n);
// The n-th register of Go's own convention (1-based), of integers and pointers; nothing when there
// is none.
std::optional<Register> go_register(Machine machine, unsigned n);
// Where the n-th argument lies from the stack pointer at function entry, when it is not in a
// register.
int64_t argument_stack_offset(Machine machine, unsigned n);

}  // namespace uscope::abi
