// Formats the operands of a USDT probe for listings, as BCC's tplist does.
#pragma once

#include <string>

#include "usdt/operands.h"

namespace uscope::usdt {

// Returns where the operand's value is: "ax" (in a register); "*(bp - 16)", "*(bx + 8 + cx * 4)" or
// "*(&NBuffers)" (in memory); "-4" (a constant); "? (REASON)" if a probe cannot read it.
std::string describe_location(const NotedOperand &noted, abi::Machine machine);
// Returns "4 signed   bytes", "8 unsigned bytes" or "8 float    bytes"; the blanks align them in a
// list. For an operand that a probe cannot read, this is the size that the note states.
std::string describe_size(const NotedOperand &noted);

}  // namespace uscope::usdt
