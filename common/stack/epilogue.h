// The caller of code that no table describes, by the code itself: where nothing but the stack is tidied up
// before the function returns, that says where its frame ends. So are the trampolines of `python3 -X perf`,
// of which each Python function has one:
//
//     sub $8,%rsp; call *%rcx; add $8,%rsp; ret
//
// Python 3.12 to 3.14 make them without a frame pointer, and Debian's Python keeps none either.
#pragma once

#include <optional>

#include "base/bytes.h"
#include "lib/unwind.h"

namespace uscope::stack {

// The most that is looked at.
constexpr uint64_t epilogue_bytes = 32;

// `code` is what is executed next in the frame: behind a call, or (`is_exact`) where the thread stands, which
// may be in front of one. Nothing when something else comes before the return.
std::optional<unwind_rule> epilogue_rule(Bytes code, bool is_exact);

}  // namespace uscope::stack
