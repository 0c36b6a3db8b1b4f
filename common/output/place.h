// A place in a text that somebody typed, for an error about it.
#pragma once

#include <string>
#include <string_view>

namespace uscope::output {

// The text, made safe for a terminal, and a line with a caret under its byte `column`:
//
//       c:open (arg1 >)
//                     ^
// Of a long text the part around the place, with "..." where it goes on.
std::string show_place(std::string_view text, size_t column);

// Made safe, and without its middle when it is very long.
std::string shortened(std::string_view text);

}  // namespace uscope::output
