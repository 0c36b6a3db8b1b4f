// Finds the caller from the code itself, where no table describes it. If the code only takes down
// its stack frame before it returns, those instructions give the size of the frame. One example is
// the trampoline that `python3 -X perf` makes for each Python function:
//
//     sub $8,%rsp; call *%rcx; add $8,%rsp; ret
//
// Python 3.12 to 3.14 make trampolines without a frame pointer, and Debian's Python itself keeps no
// frame pointers either.
#pragma once

#include <optional>

#include "base/bytes.h"
#include "bpf/unwind/unwind.h"

namespace uscope::unwind {

// At most this much code is decoded.
constexpr uint64_t epilogue_bytes = 32;

// `code` starts with the instruction that the frame executes next: after a call, or (`is_exact`)
// where the thread is, possibly before a call. Returns nullopt if another kind of instruction comes
// before the return.
std::optional<unwind_rule> epilogue_rule(Bytes code, bool is_exact);

}  // namespace uscope::unwind
