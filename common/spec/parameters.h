// Parses the content of parentheses after a function's name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "spec/probe.h"

namespace uscope::spec {

struct ParameterList {
    enum class Kind : uint8_t {
        Empty,  // "" or "void"
        Types,  // "int, char const*": no names, so part of a C++ name
        Named,  // "char *s, size_t n": a signature
        Other,  // not a parameter list, but an expression
    };
    Kind kind = Kind::Other;
    std::vector<Parameter> parameters;  // without "..."
};

// `inside`: the text between the parentheses, in which brackets may be unbalanced. Columns count
// from its start.
ParameterList parse_parameters(std::string_view inside);

// Returns the position after the closing bracket that matches the one at `open` ('(', '[', '{' or
// '<'); nullopt if there is none. A '<' without a '>' before the next closing bracket of another
// kind is a comparison, and the '>' of "->" closes nothing.
std::optional<size_t> skip_brackets(std::string_view text, size_t open);

}  // namespace uscope::spec
