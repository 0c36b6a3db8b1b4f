// What type information - DWARF of programs, BTF of the kernel - says of a function.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "expr/type.h"

namespace uscope::expr {

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
};

struct FunctionInfo {
    std::vector<Parameter> parameters;  // `this` first for methods
    TypeRef return_type;                // null: void
    // Not empty: the return register does not hold the result, and this says where it is instead.
    std::string return_why = {};
    // The highest slot that holds an argument. Nothing where it is not told of all of them:
    // variadic functions, those without a prototype, those that the compiler changed.
    std::optional<unsigned> last_slot = {};
};

}  // namespace uscope::expr
