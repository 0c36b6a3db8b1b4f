// Makes the rules for frames of JIT code of HotSpot (a JVM). That code has no frame pointer and no
// unwinding table, but the JVM describes each piece of it, a "blob".
#pragma once

#include "base/bytes.h"
#include "bpf/unwind/unwind.h"
#include "lang/java/hotspot_code.h"

namespace uscope::unwind {

// The rule for a frame at `pc` in this blob. `code`: the blob's code from its beginning, up to
// where its frames are complete; `next`: the code from `pc` on. `is_exact`: `pc` is not a return
// address. Returns nullopt if the frame size is unknown; the code may then keep a frame pointer.
std::optional<unwind_rule> jit_rule(const lang::HotspotCode::Blob &blob, Bytes code, Bytes next,
                                    uint64_t pc, bool is_exact);

// Can the bytes `before` end with a call instruction? If not, no call can return to the address
// after them, so that the code there has been replaced since.
bool may_follow_call(Bytes before);

// Makes the rule valid only as long as the blob's code is at `pc`, which the compile id in memory
// shows. Returns false if the rule cannot refer to the compile id, because it is too far from `pc`
// or not aligned.
bool tie_to_code(unwind_rule &rule, const lang::HotspotCode::Blob &blob, uint64_t pc);

}  // namespace uscope::unwind
