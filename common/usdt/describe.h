// Describes an operand as BCC's tplist does.
#pragma once

#include <string>

#include "usdt/operands.h"

namespace uscope::usdt {

// Returns "ax", "-4", "*(bp + -16)", "*(bx + 8 + cx * 4)", "*(&NBuffers)", or "? (why it cannot be
// read)".
std::string describe_location(const NotedOperand &noted, abi::Machine machine);
// Returns "4 signed   bytes", "8 unsigned bytes", "8 float    bytes". For an operand that cannot be
// read, it is the size in the note ("16 unsigned bytes").
std::string describe_size(const NotedOperand &noted);

}  // namespace uscope::usdt
