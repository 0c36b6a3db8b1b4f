// Lists the functions of a file whose names start with a text, for the completion of probes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "elf/functions.h"

namespace uscope::elf {

struct NamedFunction {
    std::string name;
    // A namespace, class or template: "ns::", "A<". More has to follow.
    bool is_scope = false;

    auto operator<=>(const NamedFunction &) const = default;
};

// Returns the names that start with `prefix`, sorted, each once; as files in folders, only up to
// the next "::" or '<'. find_functions() finds a function by each name that is no scope: a symbol's
// name, or a demangled name without its parameters ("ns::f"), or with them if several functions
// have this name or if `prefix` contains a '('. Omits copies and parts of functions that the
// compiler made, and thunks. Demangles only names that may match. If `prefix`
// starts with '+': the functions without names, "+0x349f".
std::vector<NamedFunction> function_names(const Image &image, std::string_view prefix,
                                          const SymbolOptions &options = {});

}  // namespace uscope::elf
