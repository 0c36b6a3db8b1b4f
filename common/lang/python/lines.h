// Finds the source line of a position in a Python function's code.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "lang/version.h"

namespace uscope::lang {

// `table`: co_lnotab until 3.9, co_linetable since. `at`: offset in the code, in bytes. Returns 0
// if the position has no line.
uint32_t python_line(const Version &version, Bytes table, uint32_t first_line, uint64_t at);

}  // namespace uscope::lang
