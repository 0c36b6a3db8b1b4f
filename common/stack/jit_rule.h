// The caller of code that a HotSpot JVM has made, by what the JVM says of it: the code has no frame pointer, and no table.
#pragma once

#include "base/bytes.h"
#include "lang/hotspot_code.h"
#include "lib/unwind.h"

namespace uscope::stack {

// `code`: from the blob's beginning, as far as it is needed; `next`: what is executed next. Nothing: the code tells no
// frame size, and may have a frame pointer.
std::optional<unwind_rule> jit_rule(const lang::HotspotCode::Blob &blob, Bytes code, Bytes next,
                                    uint64_t pc, bool is_exact);

// May a call return to what is behind `before`, the last bytes there? If not, other code has been put there since.
bool may_follow_call(Bytes before);

// The rule is valid as long as this code is there. False: that cannot be told by its number.
bool tie_to_code(unwind_rule &rule, const lang::HotspotCode::Blob &blob, uint64_t pc);

}  // namespace uscope::stack
