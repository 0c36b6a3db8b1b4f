// Says where execution continues after an instruction, to find the exits of a function.
#pragma once

#include <cstdint>
#include <optional>

#include "abi/registers.h"
#include "base/bytes.h"

namespace uscope::insn {

// Where execution continues after an instruction:
enum class Flow : uint8_t {
    Next,          // at the next instruction
    Jump,          // at its target
    Branch,        // at its target, or at the next instruction
    Call,          // in a function, which may return to the next instruction
    SystemCall,    // in the kernel, and then at the next instruction
    Return,        // at the return address
    JumpIndirect,  // at an address that was computed or read
    Stop,          // nowhere: a trap
};

// Where an indirect jump gets its target, as far as the instructions before it show.
enum class IndirectKind : uint8_t {
    Table,    // a table of addresses in this function, as compilers generate for a switch
    Address,  // a single address, that of a function: the jump is a tail call
    Unknown,  // a table of addresses, which are in this function or those of other functions
};

struct Step {
    uint8_t length = 0;  // bytes
    Flow flow = Flow::Next;
    bool can_probe = true;  // a probe on it is safe
    int64_t target = 0;     // Jump, Branch: relative to the instruction's first byte
};

// Decodes the instruction at the start of `code`. Returns nullopt if it is invalid, runs past the
// end, or is a branch whose target depends on the model of the processor.
std::optional<Step> step(abi::Machine machine, Bytes code);

// Does `code` begin with an instruction with which compilers fill gaps?
bool is_padding(abi::Machine machine, Bytes code);

// An address that an instruction contains, other than the target of a branch. It may be that of a
// jump table.
struct NamedAddress {
    int64_t value = 0;
    bool is_relative = false;  // to the instruction's first byte
};
// Returns the address that the instruction at the start of `code` contains; nullopt if it contains
// none, and always on arm64.
std::optional<NamedAddress> named_address(abi::Machine machine, Bytes code);

// Returns the kind of the indirect jump at `offset` of `function`. The instructions from offset
// `from` on lead to the jump in a straight line.
IndirectKind indirect_kind(abi::Machine machine, Bytes function, uint64_t from, uint64_t offset);

}  // namespace uscope::insn
