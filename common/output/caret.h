// Shows the position of an error in a text that the user typed.
#pragma once

#include <string>
#include <string_view>

namespace uscope::output {

// Returns the text, made safe for a terminal, and a line with a caret under its byte `column`:
//
//       c:open (arg1 >)
//                     ^
// A long text is cut to the part around the caret, with "..." where it was cut.
std::string show_caret(std::string_view text, size_t column);

// Returns the text, made safe for a terminal; a very long text without its middle.
std::string shortened(std::string_view text);

}  // namespace uscope::output
