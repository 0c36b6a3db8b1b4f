// Where a value is when a probe fires: the common form of USDT operands and function arguments.
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
        Memory,       // at base (if has_base) + index * scale (if has_index) + value
        Unsupported,  // cannot be read: tools show `why` instead, and never drop the probe
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

    // Do both have the same source of the value? Then their sites can share one program.
    bool operator==(const Operand &) const;
};

}  // namespace uscope::abi
