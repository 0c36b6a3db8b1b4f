// Describes where a traced program has a value at the moment a probe fires: in a register or in
// memory. The value may also be a constant. Operands of USDT probes and arguments of functions both
// take this form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "abi/registers.h"

namespace uscope::abi {

struct Operand {
    enum class Kind : uint8_t {
        Constant,     // `value`
        Register,     // `base`
        Memory,       // at address base (if has_base) + index * scale (if has_index) + value
        Unsupported,  // a probe cannot read it; tools then show `why` in place of the value
    };

    Kind kind = Kind::Unsupported;
    uint8_t size = 8;  // bytes: 1, 2, 4, 8
    bool is_signed = false;
    bool is_float = false;  // 4- or 8-byte IEEE value
    int64_t value = 0;      // the constant, or the displacement
    bool has_base = true;   // Memory; false: the address has no base register
    Register base = {};     // Register, Memory
    bool has_index = false;
    Register index = {};
    uint8_t scale = 1;  // 1, 2, 4, 8
    std::string why = {};

    // Are both the same constant, or read from the same register or address with the same size and
    // type (signed, float)? One BPF program can then serve the code addresses of both.
    bool operator==(const Operand &) const;
};

}  // namespace uscope::abi
