// Where a value is that Go passes: dwarf/go_calling.h decides it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace uscope::dwarf {

enum class GoConvention : uint8_t {
    Stack,      // ABI0: all of Go before 1.17, and what is called by assembly
    Registers,  // ABIInternal on x86-64
};

// Parts of a value, each in a register of its own, or all of it on the stack.
struct GoPlace {
    struct Part {
        uint64_t offset = 0;  // in the value, bytes
        unsigned slot = 0;    // as abi::go_register() counts; 0: a floating-point register
    };
    std::vector<Part> parts = {};
    std::optional<uint64_t> stack = {};  // bytes behind the return address
    bool is_known = true;
};

}  // namespace uscope::dwarf
