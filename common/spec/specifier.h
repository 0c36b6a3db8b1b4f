// The specifiers of argdist: what is counted, or measured, by which keys.
//
//     specifier := location signature [":" types ":" expressions [":" filter]] ["#" label]
//     signature := "(" C parameters with names ")"   "()" for t, u, and where none is needed; may be
//                                         left away behind a kernel function that ends the text
//     types     := C type {"," C type}               char* shows a string
//     expressions := expression {"," expression} [" lin(" MIN "," MAX "," STEP ")"]
//
// for example   p:c:write(int fd, void *buf, size_t n):int,size_t:fd,n:n > 0#sizes by descriptor
//
// The location is trace's (spec/probe.cpp), so C++ and Go names, providers and quotes work here too.
// ":" and "," separate only where they cannot be anything else: inside brackets and quotes, in
// "::" and behind "?" they belong to the expression. Without types and expressions calls are
// counted; at a return (r), their results are.
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
    std::vector<Piece> expressions;  // as many; none: calls are counted
    std::optional<output::LinearScale> linear;
    std::string label;  // what output calls it: the text behind "#", or all of it
    bool has_label = false;
};

// Errors are fail_at().
Result<Specifier> parse_specifier(std::string_view text);

}  // namespace uscope::spec
