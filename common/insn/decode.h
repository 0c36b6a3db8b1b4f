// Finds the lengths and kinds of x86-64 instructions: as much as it takes to choose a probe's
// address, and to check that a probe there is safe.
//
// A uprobe in the middle of an instruction corrupts the program; a uprobe on an instruction that
// the kernel single-steps costs ten times as much as one on an instruction that it emulates.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.h"

namespace uscope::insn {

enum class Kind : uint8_t {
    Other,
    EndBranch,     // endbr64
    Nop,           // emulated by the kernel (the long forms since 6.16)
    Push,          // push %reg: emulated
    CallRelative,  // emulated
    JumpRelative,  // jmp/jcc relative: emulated (not loop and jrcxz, which are Other)
    Return,        // ret, ret imm16 (also with rep/bnd prefix)
    JumpIndirect,
    Trap,     // ud0, ud1, ud2: execution never continues after it
    Refused,  // a uprobe is impossible or harmful here (also int3, hlt), whatever the instruction is
};

// Why an instruction cannot have a uprobe.
enum class Refusal : uint8_t {
    None,
    ByKernel,  // the kernel refuses it
    Unknown,   // the kernel does not know the instruction (-ENOEXEC, or worse: known.cpp)
    Corrupts,  // the kernel would execute something else instead
    Nop5,  // the kernel may replace it by a call, which overwrites memory below the stack pointer
};

constexpr uint64_t longest = 15;  // bytes in the longest instruction

struct Instruction {
    uint8_t length;
    Kind kind;
    Refusal refusal = Refusal::None;  // None if and only if `kind` is not Refused
};

// Returns why `instruction` cannot have a uprobe. `at_start`: it is a function's first instruction.
Refusal refusal(const Instruction &instruction, bool at_start);

// Returns a text that completes "an instruction that …", such as "the kernel cannot single-step".
std::string_view describe(Refusal refusal);

// Decodes the instruction at the start of `code`; nullopt if it is invalid or runs past the end.
std::optional<Instruction> decode(Bytes code);

// Is `offset` the start of an instruction when decoding `function` from its first byte? Returns
// nullopt if decoding fails before `offset`.
std::optional<bool> is_boundary(Bytes function, uint64_t offset);

// Does the kernel emulate the instruction under a uprobe instead of single-stepping it? True for
// nops of several bytes, which it emulates only since Linux 6.16; false for the nop of 5 bytes,
// which it may replace (Refusal::Nop5).
bool is_emulated(const Instruction &instruction);

// Returns the offset from the function's first byte where a probe on its entry is cheapest and the
// arguments are still unchanged: after endbr64 if an emulated instruction follows, else 0.
uint64_t entry_offset(Bytes function);

}  // namespace uscope::insn
