// Measures the width of text on a terminal.
#pragma once

#include <cstddef>
#include <string_view>

namespace uscope::output {

// The width of UTF-8 text in columns: 1 per code point, 2 for a wide one (East Asian Width W and F
// of Unicode 15.1: Chinese, Japanese, Korean, emoji). Combining characters count as 1, so that a
// padded line may be too short but never too long.
size_t columns(std::string_view text);
// The length in bytes of the longest start of `text` that fits into `columns` columns.
size_t bytes_of_columns(std::string_view text, size_t columns);

}  // namespace uscope::output
