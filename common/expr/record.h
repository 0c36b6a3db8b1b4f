// Reads a record's fields back as values for people.
#pragma once

#include "base/bytes.h"
#include "expr/program.h"
#include "output/printf.h"

namespace uscope::expr {

// The value of `field` in `record`. Text points into the record. A record too short for it gives
// Unknown. `string_bytes`: the most bytes of a string that were asked for (-Z): longer ones are
// marked truncated.
output::Value read_field(const Field &field, Bytes record, uint32_t string_bytes);

}  // namespace uscope::expr
