// Classifies types by how a function gets or returns a value of them. This is the part of a calling
// convention that depends only on the type, not on the other arguments.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "dwarf/die.h"

namespace uscope::dwarf {

// Rust's own convention is similar to C's but not documented. This code implements only the rules
// that are the same in all versions of Rust.
enum class Convention : uint8_t { C, Rust };

constexpr uint64_t max_by_value = 16;  // bytes of the largest structure that can be in registers

struct Passing {
    enum class Kind : uint8_t {
        Registers,  // in registers if enough are left, else on the stack
        Memory,     // always on the stack
        Reference,  // as a pointer to a copy
        Unknown,
    };
    enum class Class : uint8_t { None, Integer, Vector };

    Kind kind = Kind::Registers;
    Class parts[2] = {Class::None, Class::None};  // the kind of register for each 8 bytes
    uint64_t size = 0;
    bool is_structure = false;
    bool is_wide = false;  // if it is on the stack, it is aligned to 16 bytes

    unsigned count(Class which) const { return std::count(parts, parts + 2, which); }
};

// `type`: nullopt if it could not be found; the result is Unknown then.
Passing classify(Convention convention, std::optional<Dwarf_Die> type);

}  // namespace uscope::dwarf
