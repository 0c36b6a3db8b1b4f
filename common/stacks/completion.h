// BPF programs walk user stacks by rules (bpf/unwind/unwind.bpf.h). If they lack a rule, they send
// registers and a copy of the stack (a "miss"). This file completes the walk from the copy.
#pragma once

#include <cstdint>
#include <functional>

#include "base/bytes.h"
#include "unwind/unwinding.h"

namespace uscope::symbols {
class ProcessHistory;
}  // namespace uscope::symbols

namespace uscope::stacks {

// Returns the whole stack of `miss`, whose copy of the stack is `bytes`. Calls `learn` with each
// rule that the walk needs, for the next walk in the kernel, unless the process has since executed
// another program. `history`: what the process had mapped.
unwind::UserStack complete_walk(const unwind_miss &miss, Bytes bytes,
                                symbols::ProcessHistory &history,
                                const unwind::Unwinding::Learn &learn);

// Converts a stack that the BPF program has walked to its end. Its frames have no names yet.
unwind::UserStack stack_of(const unwind_stack &stack, const unwind_interpreted &interpreted);

}  // namespace uscope::stacks
