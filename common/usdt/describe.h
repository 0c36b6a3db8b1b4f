// An operand in words, as BCC's tplist puts it.
#pragma once

#include <string>

#include "usdt/operands.h"

namespace uscope::usdt {

// "ax", "-4", "*(bp + -16)", "*(bx + 8 + cx * 4)", "*(&NBuffers)", or the reason why it cannot be
// read.
std::string describe_place(const NotedOperand &noted, abi::Machine machine);
// "4 signed   bytes", "8 unsigned bytes", "8 float    bytes".
// One that cannot be read is described as it is noted ("16 unsigned bytes").
std::string describe_size(const NotedOperand &noted);

}  // namespace uscope::usdt
