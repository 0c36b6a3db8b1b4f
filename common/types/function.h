// What type information - DWARF of programs, BTF of the kernel - says of a function.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "types/type.h"

namespace uscope::types {

// Where Go passes a value: its parts, each in a register of its own, or all of it on the stack.
struct GoPlace {
    struct Part {
        uint64_t offset = 0;  // in the value, bytes
        unsigned slot = 0;    // as abi::go_register() counts; 0: a floating-point register
    };
    std::vector<Part> parts = {};
    std::optional<uint64_t> stack = {};  // bytes behind the return address
    bool is_known = true;
};

struct Parameter {
    std::string name;
    TypeRef type;
    // By the System V (AAPCS64) calling convention, or by what the compiler says where it did
    // otherwise: the 1-based number of the integer argument slot that holds it at entry, as in
    // abi::argument_register() and argument_stack_offset(); 0 when it is not in one, and then `why`
    // says where it is: "a floating-point argument, in a vector register", "a structure in
    // registers: its parts are arg2 and arg3".
    unsigned slot = 0;
    std::string why = {};
    std::optional<GoPlace> go = {};  // of Go's functions, which have no such slots
};

struct FunctionInfo {
    std::vector<Parameter> parameters;  // `this` first for methods
    TypeRef return_type;                // null: void
    // Not empty: the return register does not hold the result, and this says where it is instead.
    std::string return_why = {};
    // The highest slot that holds an argument. Nothing when the information does not cover all of them:
    // variadic functions, those without a prototype, those that the compiler changed.
    std::optional<unsigned> last_slot = {};
    // The first slot leads to where the function is to put its result; the parameters have those behind it.
    bool has_result_pointer = false;
    std::vector<Parameter> results = {};  // Go
};

}  // namespace uscope::types
