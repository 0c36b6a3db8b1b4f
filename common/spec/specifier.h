// Parses the specifiers of argdist, which say what to count or measure, and by which keys:
//
//     specifier := location signature [":" types ":" expressions [":" filter]] ["#" label]
//     signature := "(" C parameters with names ")"   "()" for t, u, and if no parameter is needed;
//                               may be omitted after a kernel function at the end of the text
//     types     := C type {"," C type}               char* means a string
//     expressions := expression {"," expression} [" lin(" MIN "," MAX "," STEP ")"]
//
// for example   p:c:write(int fd, void *buf, size_t n):int,size_t:fd,n:n > 0#sizes by descriptor
//
// The location has trace's grammar (spec/probe.cpp), including C++ and Go names, providers and
// quotes. ":" and "," separate only outside of expressions: inside brackets and quotes, in "::" and
// after "?" they belong to the expression. Without types and expressions, argdist counts calls; for
// a return probe (r), it counts the results (-C) or shows their histogram (-H).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "output/histogram_text.h"
#include "spec/probe.h"

namespace uscope::spec {

struct Specifier {
    Probe probe;  // with `predicate`: the filter
    std::vector<Piece> types;
    std::vector<Piece> expressions;  // as many as types; none: count calls or results
    std::optional<output::LinearScale> linear;
    std::string label;  // the title in the output: the text after "#", or the whole text
    bool has_label = false;
};

// Errors point at a column of the text (fail_at()).
Result<Specifier> parse_specifier(std::string_view text);

}  // namespace uscope::spec
