// Parses the expressions in a probe's text.
#pragma once

#include "expr/parse.h"
#include "spec/probe.h"

namespace uscope::probe {

// Parses a list of expressions: "a, b, c". The columns of errors and nodes count from the start of
// the probe's whole text, not of the piece.
Result<std::vector<expr::NodeRef>> parse_list(const spec::Probe &spec, const spec::Piece &piece);
// Parses one expression, which errors call `what`. Errors: the piece has several expressions.
Result<expr::NodeRef> parse_one(const spec::Probe &spec, const spec::Piece &piece,
                                std::string_view what);
// Parses the probe's condition. Returns null if it has none.
Result<expr::NodeRef> parse_condition(const spec::Probe &spec);

}  // namespace uscope::probe
