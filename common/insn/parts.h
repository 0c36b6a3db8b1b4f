// Splits an x86-64 instruction into those parts that show its length and its kind (insn/decode.h).
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"

namespace uscope::insn {

struct Parts {
    enum class Encoding : uint8_t { Legacy, Vex, Evex, Xop };

    Encoding encoding = Encoding::Legacy;
    uint8_t map = 0;  // of opcodes. 0: one-byte; 1: 0f; 2: 0f 38; 3: 0f 3a; more: EVEX and XOP
    uint8_t opcode = 0;
    uint8_t modrm = 0;            // 0 if it has none
    uint8_t rex = 0;              // the prefix itself, or 0
    bool idle_rex = false;        // has a REX prefix without effect
    bool size_prefix = false;     // 66
    bool address_prefix = false;  // 67
    bool lock_prefix = false;     // f0
    bool segment_prefix = false;  // cs, ds, es or ss
    bool thread_prefix = false;   // fs or gs
    uint8_t repeat_prefix = 0;    // f2 or f3, the last of them
    uint8_t vector_prefix = 0;    // in VEX, EVEX and XOP. 0: none, 1: 66, 2: f3, 3: f2
    uint8_t modrm_at = 0;         // offset of ModRM; 0 if it has none
    uint8_t length = 0;           // bytes, 1-15

    unsigned reg() const { return modrm >> 3 & 7; }
    bool is_legacy(uint8_t in_map) const { return encoding == Encoding::Legacy && map == in_map; }
};

// The numbers, 0 to 15, of the register in ModRM's reg field, and of that in its r/m field if it
// does not mean memory.
inline unsigned reg_of(const Parts &p)
{
    return p.reg() | (p.rex & 4) << 1;
}
inline unsigned rm_of(const Parts &p)
{
    return (p.modrm & 7) | (p.rex & 1) << 3;
}
inline bool is_register(const Parts &p)  // is ModRM's operand a register?
{
    return p.modrm >> 6 == 3;
}

// Splits the instruction at the start of `code`; nullopt if it is invalid or runs past the end.
std::optional<Parts> take_apart(Bytes code);

}  // namespace uscope::insn
