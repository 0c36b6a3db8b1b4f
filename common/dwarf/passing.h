// Classifies how a value of a type is passed: the part of a calling convention that depends only on
// the type.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "dwarf/die.h"

namespace uscope::dwarf {

// Rust's own convention is close to C's but not documented; only the rules on which all versions
// agree are implemented.
enum class Convention : uint8_t { C, Rust };

constexpr uint64_t most_by_value = 16;  // largest structure in registers, bytes

struct Passing {
    enum class Kind : uint8_t {
        Registers,  // in registers if enough are left, else on the stack
        Memory,     // on the stack
        Reference,  // a pointer to a copy
        Unknown,
    };
    enum class Class : uint8_t { None, Integer, Vector };

    Kind kind = Kind::Registers;
    Class parts[2] = {Class::None, Class::None};  // a register for each
    uint64_t size = 0;
    bool is_structure = false;
    bool is_wide = false;  // on the stack, aligned to 16 bytes

    unsigned count(Class which) const { return std::count(parts, parts + 2, which); }
};

Passing classify(Convention convention, std::optional<Dwarf_Die> type);

}  // namespace uscope::dwarf
