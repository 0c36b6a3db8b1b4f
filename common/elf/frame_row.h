// Where a frame is at one place in the code, and where it keeps its caller's registers: what the
// program of a record of .eh_frame says (elf/frame_record.h).
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
        Undefined,     // nowhere; of the return address: there is no caller
        AtCfa,         // in memory, `value` bytes from the CFA
        IsCfaPlus,     // it is the CFA + `value`
        InRegister,    // in the register `value`
        AtExpression,  // in memory, where the expression says
        IsExpression,  // it is what the expression says
    };
    Kind kind = Kind::Same;
    int64_t value = 0;
    Bytes expression = {};
};

struct FrameRow {
    // x86-64: 0 to 15 and the return address, 16; arm64: x0 to x30 and sp, 31.
    static constexpr size_t register_count = 33;

    uint64_t cfa_register = no_register;  // of an expression: none
    int64_t cfa_offset = 0;
    Bytes cfa_expression = {};
    uint64_t return_register = 0;
    std::array<SavedRegister, register_count> registers = {};

    const SavedRegister &return_address() const { return registers[return_register]; }
};

// At `vaddr`, which lies in the record's code; nothing when its program is not understood.
std::optional<FrameRow> frame_row_at(const FrameRecord &record, uint64_t vaddr);
// Is the return address where a call puts it, and nothing above it?
bool is_row_of_a_call(const FrameRow &row, uint16_t machine);

}  // namespace uscope::elf
