// Compresses what a tool writes or sends.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace uscope::output {

// Returns the text in the gzip format (RFC 1952). `level`: 1 (fast) to 9 (small), or -1 for zlib's
// default, 6. Errors: not enough memory.
Result<std::string> gzip(std::string_view text, int level = -1);

}  // namespace uscope::output
