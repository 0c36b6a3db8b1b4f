// How much room text takes on a terminal.
#pragma once

#include <cstddef>
#include <string_view>

namespace uscope::output {

// Columns of UTF-8: a code point has one, a wide one two (East Asian Width W and F of Unicode 15.1: Chinese,
// Japanese, Korean, emoji). Combining characters count as one, so that a line is rather too short than too long.
size_t columns(std::string_view text);
// The bytes of as many characters as fit into so many columns.
size_t bytes_of_columns(std::string_view text, size_t columns);

}  // namespace uscope::output
