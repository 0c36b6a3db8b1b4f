// Finds the caller of HotSpot JIT code, which has no frame pointer and no table, from what the JVM
// says about the code.
#pragma once

#include "base/bytes.h"
#include "bpf/unwind/unwind.h"
#include "lang/java/hotspot_code.h"

namespace uscope::unwind {

// `code`: the blob's code from its beginning, as much as is needed; `next`: the code that is
// executed next. Returns nullopt if the frame size is unknown; the code may then keep a frame
// pointer.
std::optional<unwind_rule> jit_rule(const lang::HotspotCode::Blob &blob, Bytes code, Bytes next,
                                    uint64_t pc, bool is_exact);

// Can `before` end with a call instruction, so that a call may return to the address after it? If
// not, the code has been replaced since.
bool may_follow_call(Bytes before);

// Makes the rule valid only while this code is there. Returns false if the compile id cannot be
// used for that.
bool tie_to_code(unwind_rule &rule, const lang::HotspotCode::Blob &blob, uint64_t pc);

}  // namespace uscope::unwind
