// Finds where a function's parameters are from the text of its signature: what the user typed, or
// the parameters in a demangled C++ name.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "abi/registers.h"
#include "elf/image.h"
#include "spec/probe.h"
#include "types/function.h"

namespace uscope::resolve {

using FindType = std::function<types::TypeRef(std::string_view)>;

// Returns the parameters, in the slots of C's calling convention; the first one is in `first_slot`.
// A parameter of an unknown type has a null type and, as a user's signature means a simple value,
// one slot. References are passed as pointers, so are strings by value.
std::vector<types::Parameter> locate_parameters(abi::Machine machine,
                                                const std::vector<spec::Parameter> &parameters,
                                                unsigned first_slot, const FindType &find);

// Returns what the demangled name of a C++ function says about it: `name` "ns::f", `parameters`
// "(int) const". Methods have a parameter named "this"; the others have no names. The name does not
// tell functions that return an object in memory, and tells methods only if they are const or
// constructors, or if the file has a constructor, a const method or the type's information of their
// class. nullopt if it is not such a name.
std::optional<types::FunctionInfo> info_of_name(const elf::Image &image, abi::Machine machine,
                                                std::string_view name, std::string_view parameters,
                                                const FindType &find);

}  // namespace uscope::resolve
