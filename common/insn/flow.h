// Where execution goes after an instruction: what is needed to find the ways out of a function.
#pragma once

#include <cstdint>
#include <optional>

#include "abi/registers.h"
#include "base/bytes.h"

namespace uscope::insn {

enum class Flow : uint8_t {
    Next,          // to the instruction behind it
    Jump,          // to its target
    Branch,        // to its target, or to the instruction behind it
    Call,          // to a function, which may return behind it
    SystemCall,    // to the kernel, and then behind it
    Return,        // to the address that the caller left
    JumpIndirect,  // to an address that was computed or read
    Stop,          // nowhere: a trap
};

// What an indirect jump jumps by, as far as the instructions before it show.
enum class IndirectKind : uint8_t {
    Table,    // a table of places in the function, as compilers make of a switch
    Address,  // one address: a function's, that the jump is the call of
    Unknown,  // an entry of a table of addresses, be they places in the function or functions
};

struct Step {
    uint8_t length = 0;  // bytes
    Flow flow = Flow::Next;
    bool can_probe = true;  // a probe on it is safe
    int64_t target = 0;     // Jump, Branch: relative to the instruction's first byte
};

// The instruction at the start of `code`; nothing when none begins so, or it runs past the end, or
// its target is one that processors do not agree on.
std::optional<Step> step(abi::Machine machine, Bytes code);

// Does `code` begin with what compilers fill gaps with?
bool is_padding(abi::Machine machine, Bytes code);

// An address that an instruction holds and does not jump to: perhaps that of a table.
struct NamedAddress {
    int64_t value = 0;
    bool is_relative = false;  // to the instruction's first byte
};
std::optional<NamedAddress> named_address(abi::Machine machine, Bytes code);

// The indirect jump at `offset` of `function`, whose instructions from `from` on run into it.
IndirectKind indirect_kind(abi::Machine machine, Bytes function, uint64_t from, uint64_t offset);

}  // namespace uscope::insn
