// Parses the expressions in a probe's text.
#pragma once

#include "expr/parse.h"
#include "spec/probe.h"

namespace uscope::probe {

// "a, b, c". Columns of errors and nodes count from the start of the whole text.
Result<std::vector<expr::NodeRef>> parse_list(const spec::Probe &spec, const spec::Piece &piece);
// One expression. Errors: there are several; `what` names it in the error.
Result<expr::NodeRef> parse_one(const spec::Probe &spec, const spec::Piece &piece,
                                std::string_view what);
// The probe's condition; null if it has none.
Result<expr::NodeRef> parse_condition(const spec::Probe &spec);

}  // namespace uscope::probe
