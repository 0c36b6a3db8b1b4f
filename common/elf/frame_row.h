// Where the frame begins (the CFA) and where the caller's registers are saved, at one instruction:
// the result of executing the program of a record of .eh_frame (elf/frame_record.h).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/bytes.h"

namespace uscope::elf {

struct FrameRecord;

constexpr uint64_t no_register = ~0ull;

// Where the caller's value of a register is.
struct SavedRegister {
    enum class Kind : uint8_t {
        Same,          // still in the register
        Undefined,     // lost; for the return address: there is no caller
        AtCfa,         // in memory, at the CFA + `value`
        IsCfaPlus,     // the value is the CFA + `value`
        InRegister,    // in the register `value`
        AtExpression,  // in memory, at the address that the expression computes
        IsExpression,  // the value is what the expression computes
    };
    Kind kind = Kind::Same;
    int64_t value = 0;
    Bytes expression = {};
};

struct FrameRow {
    // x86-64: 0 to 15 and the return address, 16; arm64: x0 to x30 and sp, 31.
    static constexpr size_t register_count = 33;

    uint64_t cfa_register = no_register;  // no_register: cfa_expression gives the CFA
    int64_t cfa_offset = 0;
    Bytes cfa_expression = {};
    uint64_t return_register = 0;
    std::array<SavedRegister, register_count> registers = {};

    const SavedRegister &return_address() const { return registers[return_register]; }
};

// Returns the row at `vaddr`, which must be in the record's code; nullopt if its program has
// unknown operations.
std::optional<FrameRow> frame_row_at(const FrameRecord &record, uint64_t vaddr);
// Is this the row of a function's first instruction: the return address where a call puts it, and
// nothing pushed since?
bool is_row_of_a_call(const FrameRow &row, uint16_t machine);

}  // namespace uscope::elf
