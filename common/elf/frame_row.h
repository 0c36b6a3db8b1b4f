// Computes from a record of an unwinding table (elf/frame_record.h), for one instruction, where the
// stack frame begins and where the registers of the caller are saved: a *row*. The start of the
// frame is called the CFA, canonical frame address. A record contains a small program that computes
// the rows of all its instructions, one after the other.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/bytes.h"

namespace uscope::elf {

struct FrameRecord;

constexpr uint64_t no_register = ~0ull;

// Where the value is that a register had in the caller.
struct SavedRegister {
    enum class Kind : uint8_t {
        Same,          // still in this register
        Undefined,     // lost; if the return address is lost, there is no caller
        AtCfa,         // in memory, at the CFA + `value`
        IsCfaPlus,     // the value is the CFA + `value`
        InRegister,    // in the register with the number `value`
        AtExpression,  // in memory, at the address that the expression computes
        IsExpression,  // the value is what the expression computes
    };
    Kind kind = Kind::Same;
    int64_t value = 0;
    Bytes expression = {};
};

struct FrameRow {
    // Registers have DWARF's numbers. x86-64: 0 to 15, and 16 for the return address; arm64: 0 to
    // 30 for x0 to x30, and 31 for sp.
    static constexpr size_t register_count = 33;

    uint64_t cfa_register = no_register;  // no_register: the CFA is the value of cfa_expression
    int64_t cfa_offset = 0;
    Bytes cfa_expression = {};
    uint64_t return_register = 0;
    std::array<SavedRegister, register_count> registers = {};

    const SavedRegister &return_address() const { return registers[return_register]; }
};

struct UnwindRow {
    FrameRow row;
    // The code is a signal trampoline: the caller's address is that of an interrupted instruction,
    // not a return address.
    bool is_signal = false;
};

// Returns the row for the instruction at `vaddr`, which must be in the record's code; nullopt if
// the record's program has an unknown operation.
std::optional<FrameRow> frame_row_at(const FrameRecord &record, uint64_t vaddr);
// Is the stack as it is directly after a call instruction: the return address is where the call put
// it, and the function has pushed nothing yet? `machine`: EM_X86_64 or EM_AARCH64.
bool is_row_of_a_call(const FrameRow &row, uint16_t machine);

}  // namespace uscope::elf
