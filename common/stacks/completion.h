// Completes walks of stacks that lacked a rule, from what the kernel side has sent.
#pragma once

#include <cstdint>
#include <functional>

#include "base/bytes.h"
#include "unwind/unwinding.h"

namespace uscope::symbols {
class ProcessHistory;
}  // namespace uscope::symbols

namespace uscope::stacks {

// `bytes`: the copy of the stack. `learn` gets the rules that the walk needs; it is not called if
// the process executes another program by now.
unwind::UserStack complete_walk(const unwind_miss &miss, Bytes bytes,
                                symbols::ProcessHistory &history,
                                const unwind::Unwinding::Learn &learn);

// A stack as the kernel side has walked it, without names.
unwind::UserStack stack_of(const unwind_stack &stack, const unwind_interpreted &interpreted);

}  // namespace uscope::stacks
