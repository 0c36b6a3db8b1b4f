// What stands in a parenthesis after a function's name.
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
        Types,  // "int, char const*": part of a C++ name
        Named,  // "char *s, size_t n": a signature
        Other,  // no parameter list: an expression
    };
    Kind kind = Kind::Other;
    std::vector<Parameter> parameters;  // Named: all but "..."
};

// `inside`: the text between the parentheses, in which brackets may be unbalanced. Columns count
// from its start.
ParameterList parse_parameters(std::string_view inside);

// Behind the closer of the bracket at `open` ('(', '[', '{' or '<'), nothing when it is not closed.
// A '<' that another bracket's closer ends was a comparison, and the '>' of "->" closes nothing.
std::optional<size_t> skip_brackets(std::string_view text, size_t open);

}  // namespace uscope::spec
