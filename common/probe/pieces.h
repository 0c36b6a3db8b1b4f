// Expressions in pieces of a probe's text.
#pragma once

#include "expr/parse.h"
#include "spec/probe.h"

namespace uscope::probe {

// "a, b, c". Carets of errors, and the nodes' columns, count from the start of the whole text.
Result<std::vector<expr::NodeRef>> parse_list(const spec::Probe &spec, const spec::Piece &piece);
// One expression; `what` it is, for the error when there are more.
Result<expr::NodeRef> parse_one(const spec::Probe &spec, const spec::Piece &piece,
                                std::string_view what);
// The probe's condition; null when it has none.
Result<expr::NodeRef> parse_condition(const spec::Probe &spec);

}  // namespace uscope::probe
