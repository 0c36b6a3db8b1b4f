// Which general registers an instruction writes, and what it does to %rax: to know, before a few
// straight instructions execute, what a function is going to return.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "insn/parts.h"

namespace uscope::insn {

// The general registers that the instruction may write: bit n stands for register n in the
// numbering of instructions (0: rax, 3: rbx, 4: rsp, 5: rbp). Bits may be set for registers that it
// does not write; 0xffff: unknown.
uint16_t written_registers(const Parts &parts);

// May the instruction write memory other than the stack below and above the stack pointer? True if
// unknown.
bool may_write_memory(const Parts &parts, Bytes code);

// What a function will return, as known before the instructions that compute it: the low
// `bits` of a register's content now, extended to 64 bits; or a constant.
struct ReturnedValue {
    enum class From : uint8_t { Unknown, Register, Constant };

    From from = From::Register;
    uint8_t reg = 0;  // 0: rax
    uint8_t bits = 64;
    bool is_signed = false;
    bool is_narrow = false;  // after the extension, the upper 32 bits are zero
    int64_t constant = 0;

    bool is_known() const { return from != From::Unknown; }
    bool operator==(const ReturnedValue &) const = default;
};

// Follows %rax through straight code.
class ReturnedValueState {
  public:
    void execute(const Parts &parts, Bytes code);
    const ReturnedValue &value() const { return value_; }

  private:
    ReturnedValue after(const Parts &parts, Bytes code) const;
    ReturnedValue copied(unsigned from, const ReturnedValue &form) const;

    ReturnedValue value_;
    uint16_t written_ = 0;  // the registers whose contents are no longer those of the start
};

}  // namespace uscope::insn
