// A function as type information describes it: a program's DWARF, or the kernel's BTF.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "types/type.h"

namespace uscope::types {

// Where Go passes a value: in parts, each in its own register, or entirely on the stack.
struct GoLocation {
    struct Part {
        uint64_t offset = 0;  // of the part in the value, in bytes
        unsigned slot = 0;    // as in abi::go_register(); 0: a floating-point register
    };
    std::vector<Part> parts = {};
    std::optional<uint64_t> stack = {};  // bytes after the return address
    bool is_known = true;
};

struct Parameter {
    std::string name;
    TypeRef type;
    // The integer argument slot with the value at entry, from 1, as in abi::argument_register() and
    // argument_stack_offset(): by the System V (AAPCS64) calling convention, unless the compiler
    // says otherwise. 0: in no such slot; `why` says where it is: "a floating-point argument, in a
    // vector register", "a structure in registers: its parts are arg2 and arg3".
    unsigned slot = 0;
    std::string why = {};
    std::optional<GoLocation> go = {};  // for Go functions, which have no such slots
};

struct FunctionInfo {
    std::vector<Parameter> parameters;  // `this` first for methods
    TypeRef return_type;                // null: void
    // If not empty: the result is not in the return register; says where it is.
    std::string return_why = {};
    // The highest slot with an argument. nullopt if arguments may be missing here: variadic
    // functions, functions without a prototype, functions that the compiler changed.
    std::optional<unsigned> last_slot = {};
    // The first slot has the address for the result; the parameters are in the slots after it.
    bool has_result_pointer = false;
    std::vector<Parameter> results = {};  // Go only
};

}  // namespace uscope::types
