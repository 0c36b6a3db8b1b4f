// x86-64 instruction lengths and kinds: enough to choose and to check where a probe goes.
//
// A uprobe in the middle of an instruction corrupts the program; one on an instruction that the
// kernel single-steps costs ten times one that it emulates.
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
    Trap,     // ud0, ud1, ud2: nothing executes past it
    Refused,  // no uprobe can be here, or none without harm (also int3, hlt); wins over the others
};

// Why no uprobe can be on an instruction.
enum class Refusal : uint8_t {
    None,
    ByKernel,  // the kernel refuses it
    Unknown,   // the kernel does not know the instruction (-ENOEXEC, or worse: known.cpp)
    Corrupts,  // the kernel would execute something else in its place
    Nop5,      // the kernel may put a call in its place, which uses the stack below its pointer
};

constexpr uint64_t longest = 15;  // bytes of an instruction

struct Instruction {
    uint8_t length;
    Kind kind;
    Refusal refusal = Refusal::None;  // None exactly if it is not of the kind Refused
};

// Why no uprobe can be on `instruction` of a function, at its start or elsewhere.
Refusal refusal(const Instruction &instruction, bool at_start);

// For people, of an instruction that …: "the kernel cannot single-step".
std::string_view describe(Refusal refusal);

// The instruction at the start of `code`, or nothing when none begins so or it runs past the end.
std::optional<Instruction> decode(Bytes code);

// Is `offset` the start of an instruction when decoding `function` from its first byte?
// Nothing when decoding fails before `offset`.
std::optional<bool> is_boundary(Bytes function, uint64_t offset);

// Does the kernel emulate the instruction under a uprobe instead of single-stepping it? (Nops of several
// bytes: since Linux 6.16.)
bool is_emulated(const Instruction &instruction);

// The offset from the function's first byte at which a probe on its entry is cheapest while
// arguments are unchanged: behind endbr64 when an emulated instruction follows there, else 0.
uint64_t entry_offset(Bytes function);

}  // namespace uscope::insn
