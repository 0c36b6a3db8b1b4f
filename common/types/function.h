// Describes a function: its parameters and results, with their types and where they are when a
// probe on the function's entry or return fires. The source is a program's DWARF or the kernel's
// BTF.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "types/type.h"

namespace uscope::types {

// Where a Go function gets or returns a value: in registers, one for each scalar in the value (a
// string has two: pointer and length), or entirely on the stack.
struct GoLocation {
    struct Part {
        uint64_t offset = 0;  // of this scalar in the value, in bytes
        unsigned slot = 0;    // `n` of abi::go_register(); 0: a floating-point register
    };
    std::vector<Part> parts = {};
    std::optional<uint64_t> stack = {};  // offset from the first byte after the return address
    bool is_known = true;
};

// 8 bytes of a structure that is passed in registers.
struct RegisterPart {
    uint64_t offset = 0;  // in the structure, bytes
    unsigned slot = 0;    // as in Parameter
};

struct Parameter {
    std::string name;
    TypeRef type;
    // Which integer argument of the C calling convention (System V on x86-64, AAPCS64 on arm64) the
    // parameter is: the `n` of abi::argument_register() and argument_stack_offset(), from 1. Users
    // write argN for slot N. If DWARF says that the compiler put it into another register, the slot
    // is that register's. 0: it is not in such a slot, and `why` says where it is: "a
    // floating-point argument, in a vector register", "a structure in registers: its parts are arg2
    // and arg3".
    unsigned slot = 0;
    std::string why = {};
    std::vector<RegisterPart> parts = {};  // of a structure in integer registers
    std::optional<GoLocation> go = {};     // only for Go functions; their slot is 0
};

struct FunctionInfo {
    std::vector<Parameter> parameters;  // C++ methods: the first one is `this`
    TypeRef return_type;                // null: void
    // Not empty: the result is not in the return register, and this text says where it is.
    std::string return_why = {};
    // Of a structure that is returned in registers: slot 1 is rax, slot 2 rdx.
    std::vector<RegisterPart> result_parts = {};
    // The highest slot that callers fill with an argument. nullopt if `parameters` may be
    // incomplete: for variadic functions, those without a prototype, and those that the compiler
    // changed.
    std::optional<unsigned> last_slot = {};
    // Slot 1 has the address of memory where the function stores its result; the parameters start
    // at slot 2.
    bool has_result_pointer = false;
    std::vector<Parameter> results = {};  // only for Go functions, which may have several
};

}  // namespace uscope::types
